// Changes of the settings file under a running server: applied completely or not at all, without a dropped request.
import assert from 'node:assert/strict'
import { renameSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test, type TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import WebSocket from 'ws'
import { testChain } from '../fakes/chain-facts.ts'
import { openStubChain } from '../fakes/upstream/stub-chain.ts'
import { startStubUpstream, type StubUpstream } from '../fakes/upstream/stub-upstream.ts'
import { startCairn, temporaryFolder } from '../started-server.ts'

const { chainId, emitter: contract } = testChain

type Line = { readonly event: string } & Readonly<Record<string, unknown>>

/** A server with a settings file that `write` replaces; `said` waits for a log line. */
async function start(t: TestContext, text: string) {
  const dataDir = await temporaryFolder()
  const file = join(dataDir, 'cairn.yaml')
  const write = (now: string): void => {
    writeFileSync(`${file}.new`, now)
    renameSync(`${file}.new`, file)
  }
  write(text)
  const server = await startCairn({ dataDir, args: ['--config', file] })
  t.after(async () => {
    await server.stop()
    await rm(dataDir, { recursive: true, force: true })
  })
  const lines: Line[] = []
  const waiting = new Set<() => void>()
  if (server.child.stderr === null) assert.fail('no standard error')
  createInterface({ input: server.child.stderr }).on('line', (line) => {
    if (!line.startsWith('{')) return
    lines.push(JSON.parse(line) as Line)
    for (const wake of waiting) wake()
  })
  async function said(event: string): Promise<Line> {
    for (;;) {
      const at = lines.findIndex((line) => line.event === event)
      if (at !== -1) return lines.splice(at, 1)[0] as Line
      await new Promise<void>((resolve) => {
        waiting.add(resolve)
      })
    }
  }
  const hangUp = (): void => void server.child.kill('SIGHUP')
  return { server, write, said, hangUp }
}

const behind = (upstreams: readonly StubUpstream[]) => `networks:
  - name: recorded
    chainId: ${chainId}
    verify: require
    heads: {pollMs: 100, quorum: 1}
    upstreams:
${upstreams.map(({ url }) => `      - {url: "${url}", trusted: true}`).join('\n')}
`

test('upstreams change under load without a failed request', { timeout: 300_000 }, async (t) => {
  const chain = await openStubChain()
  const [one, two] = [await startStubUpstream(t, chain, {}), await startStubUpstream(t, chain, {})]
  const { server, write, said } = await start(t, behind([one]))
  let isOver = false
  let asked = 0
  const slots = async (lane: number) => {
    for (let turn = 0; !isOver; turn++) {
      // A slot that no test has read, so that an upstream is queried.
      const slot = `0x${(turn * 8 + lane).toString(16).padStart(64, '0')}`
      const { result, error } = await server.rpc('eth_getStorageAt', [contract, slot, 'latest'])
      assert.equal(error, undefined, JSON.stringify(error))
      assert.match(String(result), /^0x[0-9a-f]{64}$/)
      asked += 1
    }
  }
  const load = Promise.all([1, 2, 3, 4].map(slots))
  for (const upstreams of [[two], [one], [two]]) {
    write(behind(upstreams))
    const { changed } = await Promise.race([said('settings_taken'), load.then(() => assert.fail())])
    assert.deepEqual(changed, ['networks.recorded'])
    const answered = asked
    while (asked < answered + 8) await Promise.race([setImmediate(), load])
  }
  isOver = true
  await load
  // The removed upstream can stop without an error for clients.
  await one.stop()
  const { error } = await server.rpc('eth_getStorageAt', [
    contract,
    `0x${'9'.repeat(64)}`,
    'latest',
  ])
  assert.equal(error, undefined)
})

test(
  'networks are added and removed, and connections of a changed network are closed so that clients reconnect',
  { timeout: 300_000 },
  async (t) => {
    const chain = await openStubChain()
    const stub = await startStubUpstream(t, chain, {})
    const { server, write, said, hangUp } = await start(
      t,
      'networks: [{name: dev, embedded: true}]\n',
    )
    const ask = async (network: string, method: string) => {
      const response = await fetch(`${server.url}/${network}/v3/${server.apiKey}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] }),
      })
      return ((await response.json()) as { result?: unknown }).result
    }
    assert.equal(await ask('recorded', 'eth_chainId'), undefined)
    write(`${behind([stub])}  - {name: dev, embedded: true}\n`)
    hangUp()
    const taken = await said('settings_taken')
    assert.deepEqual(taken['changed'], [
      'networks.recorded',
      'networks (the default is now recorded)',
    ])
    assert.equal(await ask('recorded', 'eth_chainId'), `0x${chainId.toString(16)}`)
    assert.equal(await ask('dev', 'eth_chainId'), '0x539')
    assert.match(await (await fetch(server.url)).text(), /recorded/)
    const socket = new WebSocket(
      `${server.url.replace('http', 'ws')}/recorded/ws/v3/${server.apiKey}`,
    )
    const closed = new Promise<number>((resolve) => socket.once('close', resolve))
    await new Promise((resolve) => socket.once('open', resolve))
    write('networks: [{name: dev, embedded: true}]\n')
    hangUp()
    await said('settings_taken')
    assert.equal(await ask('recorded', 'eth_chainId'), undefined)
    assert.equal(await closed, 1012)
  },
)

test('limits change immediately; settings that need a restart or are invalid are logged, and the old ones stay', async (t) => {
  const { server, write, said, hangUp } = await start(t, 'rpc: {batchItemsMax: 2}\n')
  const batch = async () => {
    const call = { jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }
    const response = await fetch(`${server.url}/v3/${server.apiKey}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify([call, call, call]),
    })
    return JSON.stringify(await response.json()).split('result').length - 1
  }
  assert.equal(await batch(), 0)
  write('rpc: {batchItemsMax: 3}\nhttp: {keepAliveMs: 80000}\n')
  hangUp()
  assert.deepEqual((await said('settings_need_restart'))['settings'], ['http.keepAliveMs'])
  assert.equal(await batch(), 3)
  write('rpc: {batchItemMax: 2}\nnetworks: [{name: x}]\n')
  hangUp()
  const { mistakes } = await said('settings_refused')
  assert.match(
    JSON.stringify(mistakes),
    /batchItemMax.*write rpc\.batchItemsMax in line 1.*chainId is missing.*upstreams is missing/,
  )
  assert.equal(await batch(), 3)
})
