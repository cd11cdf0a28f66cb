// Subscriptions and filters in front of upstream nodes that fail, recover and reorganize: each block is delivered once, and
// reverted logs are sent as removed.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { openStubChain, type StubBlock, type StubChain } from '../fakes/upstream/stub-chain.ts'
import { startStubUpstream, type StubUpstream } from '../fakes/upstream/stub-upstream.ts'
import { openWebSocket, type WebSocketClient } from '../fakes/web-socket-client.ts'
import { rpc, startCairn, temporaryFolder } from '../started-server.ts'

type LogObject = {
  readonly blockHash: string
  readonly logIndex: string
  readonly removed: boolean
}
type Event = { readonly id: string; readonly result: unknown }

async function rig(t: TestContext, blocks: number) {
  const chain = await openStubChain()
  const stubs = await Promise.all([0, 1, 2].map(() => startStubUpstream(t, chain, { blocks })))
  const dataDir = await temporaryFolder()
  const file = join(dataDir, 'cairn.yaml')
  const lines = stubs.map(({ url }, at) => `      - {url: "${url}", name: node-${at}}`)
  await writeFile(
    file,
    `networks:
  - name: recorded
    chainId: ${chain.chainId}
    verify: require
    heads: {pollMs: 50, quorum: 2}
    upstreams:
${lines.join('\n')}
`,
  )
  const server = await startCairn({ dataDir, args: ['--config', file] })
  t.after(() => server.stop())
  const client = await openWebSocket(`${server.url}/ws/v3/${server.apiKey}`)
  t.after(() => client.close())
  const ask = async (method: string, ...params: unknown[]) => {
    const { result, error } = await rpc(server.url, server.apiKey, method, params)
    assert.equal(error, undefined, JSON.stringify(error))
    return result
  }
  return { chain, stubs, client, ask }
}

async function subscribe(client: WebSocketClient, ...params: unknown[]): Promise<string> {
  const { result } = await client.ask('eth_subscribe', ...params)
  assert.ok(typeof result === 'string')
  return result
}

async function nextEvent(client: WebSocketClient): Promise<Event> {
  const { params } = await client.nextJson<{
    params: { subscription: string; result: unknown }
  }>()
  return { id: params.subscription, result: params.result }
}

/** Collects events of a subscription until a head with `hash` arrives. */
async function untilHead(
  client: WebSocketClient,
  heads: string,
  hash: string,
): Promise<readonly Event[]> {
  const events: Event[] = []
  for (;;) {
    const event = await nextEvent(client)
    events.push(event)
    if (event.id === heads && hashOf(event) === hash) return events
  }
}

const hashOf = ({ result }: Event) => (result as { hash: string }).hash
const move = (stubs: readonly StubUpstream[], blocks: readonly StubBlock[]) => {
  for (const stub of stubs) stub.follow(blocks)
}
const line = (chain: StubChain, to: number) => chain.recorded.slice(0, to + 1)

test('heads continue after an upstream dies, and all are delivered once all upstreams are back', async (t) => {
  const { chain, stubs, client } = await rig(t, 44)
  const heads = await subscribe(client, 'newHeads')
  const delivered: string[] = []
  const expect = async (number: number) => {
    const { hash } = chain.recorded[number] as StubBlock
    const events = await untilHead(client, heads, hash)
    delivered.push(...events.map(hashOf))
  }
  const [first, ...others] = stubs
  move(stubs, line(chain, 45))
  await expect(45)
  await first?.stop()
  move(others, line(chain, 46))
  await expect(46)
  await others[0]?.stop()
  await others[1]?.stop()
  move(stubs, line(chain, 50))
  for (const stub of stubs) await stub.start()
  await expect(50)
  move(stubs, line(chain, 54))
  await expect(54)
  assert.deepEqual(
    delivered,
    chain.recorded.slice(45).map(({ hash }) => hash),
  )
})

test('after a reorg, subscriptions and filters receive every new header, and removed logs before new ones', async (t) => {
  const { chain, stubs, client, ask } = await rig(t, 42)
  const heads = await subscribe(client, 'newHeads')
  const logs = await subscribe(client, 'logs', {})
  const filter = await ask('eth_newFilter', {})
  const blocks = await ask('eth_newBlockFilter')
  move(stubs, line(chain, 54))
  const old = chain.recorded[54] as StubBlock
  const before = [...(await untilHead(client, heads, old.hash))]
  const known = (await ask('eth_getLogs', { fromBlock: '0x2b', toBlock: '0x36' })) as LogObject[]
  assert.ok(known.length > 0)
  assert.deepEqual(await ask('eth_getFilterChanges', filter), known)
  while (before.filter(({ id }) => id === logs).length < known.length) {
    before.push(await nextEvent(client))
  }
  assert.deepEqual(
    before.filter(({ id }) => id === logs).map(({ result }) => result),
    known,
  )
  await ask('eth_getFilterChanges', blocks)

  const fork = chain.recorded[43] as StubBlock
  const branch = await chain.extend(fork, { count: 13, salt: 3 })
  move(stubs, [...line(chain, 43), ...branch])
  const after = [...(await untilHead(client, heads, (branch.at(-1) as StubBlock).hash))]
  const undone = known.filter(({ blockHash }) => blockHash !== fork.hash)
  while (after.filter(({ id }) => id === logs).length < undone.length) {
    after.push(await nextEvent(client))
  }
  assert.deepEqual(
    after.filter(({ id }) => id === heads).map(hashOf),
    branch.map(({ hash }) => hash),
  )
  const expected = undone.toReversed().map((log) => ({ ...log, removed: true }))
  assert.deepEqual(
    after.filter(({ id }) => id === logs).map(({ result }) => result),
    expected,
  )
  assert.deepEqual(await ask('eth_getFilterChanges', filter), expected)
  assert.deepEqual(
    await ask('eth_getFilterChanges', blocks),
    branch.map(({ hash }) => hash),
  )
})
