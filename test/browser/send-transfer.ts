// Sends a transfer on the embedded chain of a started server.
import { JsonRpcProvider, Wallet } from 'ethers'
import { devAccounts } from '../../src/devchain/dev-accounts.ts'
import type { Started } from '../started-server.ts'

/** Returns the transaction hash once a block contains it. */
export async function sendTransfer({ url, apiKey }: Started): Promise<string> {
  const provider = new JsonRpcProvider(`${url}/v3/${apiKey}`)
  try {
    const wallet = new Wallet(devAccounts[0]?.privateKey ?? '', provider)
    const sent = await wallet.sendTransaction({ to: devAccounts[1]?.address ?? '', value: 1n })
    await sent.wait()
    return sent.hash
  } finally {
    provider.destroy()
  }
}
