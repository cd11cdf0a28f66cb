// Keys for tests of clients: the keys of the dev accounts, and ApiKeys with limits, both from the command line.
import type { Started } from '../started-server.ts'

type DevAccount = { readonly address: `0x${string}`; readonly privateKey: `0x${string}` }

/** The funded accounts of the embedded chain, whose keys are public. */
export async function devAccounts(cairn: Started): Promise<readonly DevAccount[]> {
  const { accounts } = (await cairn.cli('accounts', 'dev')) as { accounts: DevAccount[] }
  return accounts
}

/** `<url>/v3/<key>` of a new ApiKey made with these options of `cairn keys create`. */
export async function urlOfNewKey(cairn: Started, ...options: readonly string[]): Promise<string> {
  const { apiKey } = (await cairn.cli('keys', 'create', ...options)) as { apiKey: string }
  return `${cairn.url}/v3/${apiKey}`
}

/**
 * Uses the whole burst of a key with 500 units per second: for the next 160 ms a call of 80 units exceeds its limit.
 */
export async function exhaust(url: string): Promise<void> {
  const call = (id: number) => ({ jsonrpc: '2.0', id, method: 'eth_blockNumber' })
  const batch = Array.from({ length: 100 }, (_, id) => call(id))
  const headers = { 'content-type': 'application/json' }
  const reply = await fetch(url, { method: 'POST', headers, body: JSON.stringify(batch) })
  await reply.arrayBuffer()
  if (reply.status !== 200) throw new Error(`the burst was answered ${reply.status}`)
}
