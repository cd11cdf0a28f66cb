// An operator's secrets in the URL and headers of an upstream, which repeats all of them wherever a reply can contain text. None
// may leak to clients, logs, commands or files.
// Tests guarantee 8 of docs/explanation/guarantees.md.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { testChain } from '../fakes/chain-facts.ts'
import { openStubChain } from '../fakes/upstream/stub-chain.ts'
import type { InvalidReply } from '../fakes/upstream/stub-knobs.ts'
import { startStubUpstream } from '../fakes/upstream/stub-upstream.ts'
import { bin, startCairn, temporaryFolder } from '../started-server.ts'

const contract = testChain.emitter

/** Returns the command's output, whether it succeeds or not. */
function printed(args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile(process.execPath, [bin, ...args], (_error, out, errors) => resolve(out + errors))
  })
}

test(
  'the URL and headers of an upstream reach no client, even if its replies repeat them',
  { timeout: 300_000 },
  async (t) => {
    const hex = () => randomBytes(12).toString('hex')
    const basic = (pair: string) => Buffer.from(pair).toString('base64')
    const [user, password, path, value, bare, bearer, quoted, pushed] = Array.from(
      { length: 8 },
      hex,
    )
    const encoded = `${hex()}%2F${hex()}`
    const basicHeader = hex()
    const secrets: Record<string, string> = {
      'a password in a Basic header': basicHeader,
      user: String(user),
      password: String(password),
      'user and password as they are sent': basic(`${user}:${password}`),
      'a key in the path': String(path),
      'a key in the path, decoded': decodeURIComponent(encoded),
      'a key in the path, encoded': encoded,
      'a value of the query': String(value),
      'a key in the path of wsUrl': String(pushed),
      'a token': String(bearer),
      'a header with quotes': `a"${quoted}`,
      'a header with quotes, in JSON': `a\\"${quoted}`,
    }
    const text = `${Object.values(secrets).join(' ')} \u001b[31m\u0000 wss://${user}:${password}@h/`
    const bareText = `/?${bare}: no such path`
    secrets['a query without a name'] = String(bare)
    const chain = await openStubChain()
    let turn = 0
    const replyWith =
      (text: string): InvalidReply =>
      ({ method }, honest) => {
        turn += 1
        if (method === 'eth_chainId') return null
        if (method === 'web3_clientVersion') return { result: text }
        const result = 'result' in honest ? honest.result : null
        const kinds = [
          { error: { code: -32000, message: text } },
          { error: { code: -32000, message: 'x'.repeat(1_000) + text, data: { text, [text]: 1 } } },
          { error: { code: 3, message: `execution reverted: ${text}`, data: text } },
          { error: { code: -32602, message: `invalid argument ${text}`, data: [text] } },
          { error: { code: -32603, message: text } },
          { error: { code: -32601, message: text } },
          { result: text },
          { result: { hash: text, number: text, accountProof: [text], storageProof: text } },
          typeof result === 'object'
            ? { result: { ...result, hash: text, stateRoot: text } }
            : null,
          typeof result === 'object'
            ? { result: { ...result, note: text, accountProof: ['0x80'] } }
            : null,
          null,
          null,
        ]
        return kinds[turn % kinds.length] ?? null
      }
    const echo = await startStubUpstream(t, chain, { knobs: { falsify: replyWith(text) } })
    const other = await startStubUpstream(t, chain, { knobs: { falsify: replyWith(bareText) } })
    const honest = await startStubUpstream(t, chain)
    const dataDir = await temporaryFolder()
    t.after(() => rm(dataDir, { recursive: true, force: true }))
    const file = join(dataDir, '..', `${hex()}.yaml`)
    t.after(() => rm(file, { force: true }))
    const url = echo.url.replace('//', `//${user}:${password}@`)
    const upstreams = [
      {
        url: `${url}/v3/${path}/${encoded}?key=${value}`,
        wsUrl: `${echo.url.replace('http', 'ws')}/ws/${pushed}`,
        headers: {
          'x-token': `Bearer ${bearer}`,
          'x-odd': `a"${quoted}`,
          'x-basic': `Basic ${basic(`me:${basicHeader}`)}`,
        },
      },
      { url: `${other.url}/?${bare}` },
      { url: honest.url, name: 'honest' },
    ]
    const chainId = Number(chain.chainId)
    const network = { name: 'chain', chainId, verify: 'prefer', heads: { pollMs: 100 }, upstreams }
    await writeFile(file, JSON.stringify({ networks: [network] }))
    const args = ['--config', file]
    const cairn = await startCairn({ dataDir, args, env: { CAIRN_LOG_LEVEL: 'debug' } })
    const places: Record<string, string> = { 'the log': '', 'a reply': '' }
    cairn.child.stderr?.on('data', (chunk: Buffer) => (places['the log'] += chunk.toString()))
    const slot = (number: number) => `0x${number.toString(16).padStart(64, '0')}`
    const calls = (round: number): [string, unknown[]][] => [
      ['eth_getStorageAt', [contract, slot(round), 'latest']],
      ['eth_getProof', [contract, [slot(round + 500)], 'latest']],
      ['eth_getBalance', [`0x${hex().padEnd(40, '0')}`, 'latest']],
      ['eth_getBlockByNumber', [`0x${round.toString(16)}`, true]],
      ['eth_getBlockReceipts', [`0x${round.toString(16)}`]],
      ['eth_getTransactionByHash', [slot(round)]],
      ['eth_getLogs', [{ fromBlock: '0x0', toBlock: '0x30' }]],
      ['eth_call', [{ to: contract, data: slot(round) }, 'latest']],
      ['eth_gasPrice', []],
      ['made_up', [round]],
      ['eth_sendRawTransaction', ['0x02c0']],
    ]
    for (let round = 0; round < 12; round += 1) {
      const body = calls(round).map(([method, params], id) => ({
        jsonrpc: '2.0',
        id,
        method,
        params,
      }))
      const response = await fetch(`${cairn.url}/v3/${cairn.apiKey}?proof=${round % 2}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      // Results without a proof may contain any text of the node.
      const items = (await response.json()) as { error?: unknown; proof?: unknown }[]
      const texts = items.map(({ error, proof }) => JSON.stringify([error, proof]))
      places['a reply'] += JSON.stringify([...response.headers]) + texts.join('\n')
    }
    const ready = await fetch(`${cairn.url}/readyz`)
    places['a reply'] += await ready.text()
    // The first upstream probe.
    await wait(2_500)
    const options = [...args, '--data-dir', dataDir]
    const commands = [
      'upstreams --evidence --json',
      'upstreams --evidence --ask',
      'doctor --json',
      'config print',
    ]
    await Promise.all(
      commands.map(async (command) => {
        places[command] = await printed([...command.split(' '), ...options])
      }),
    )
    assert.equal(await cairn.stop(), 0)
    const entries = await readdir(dataDir, { recursive: true, withFileTypes: true })
    for (const entry of entries.filter((each) => each.isFile())) {
      const file = join(entry.parentPath, entry.name)
      places[`the file ${entry.name}`] = (await readFile(file)).toString('latin1')
    }
    assert.match(places['upstreams --evidence --json'] ?? '', /"lies"/)
    const found: string[] = []
    for (const [where, place] of Object.entries(places)) {
      for (const [what, secret] of Object.entries(secrets)) {
        if (place.includes(secret)) found.push(`${what} in ${where}: ${excerpt(place, secret)}`)
      }
      const isText = !where.startsWith('the file')
      // eslint-disable-next-line no-control-regex
      if (isText && /[\u0000\u001b]/.test(place)) found.push(`control characters in ${where}`)
    }
    assert.deepEqual(found, [])
  },
)

function excerpt(place: string, secret: string): string {
  const at = place.indexOf(secret)
  return JSON.stringify(place.slice(Math.max(0, at - 120), at + 60))
}
