import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { openInspectedGateway } from '../../test/fakes/inspected-gateway.ts'
import { createManualClock } from '../../test/fakes/manual-clock.ts'
import { replayRequest } from './replay-request.ts'

const { signal } = new AbortController()

function rig() {
  const clock = createManualClock()
  const opened = openInspectedGateway(clock)
  const { gateway, inspector, caller, networks } = opened
  async function prepareReplay(method: string, params: readonly unknown[]) {
    const [network] = networks()
    ok(network)
    const where = { face: 'rpc', transport: 'http', network: 'dev' } as const
    const credential = { key: 'k', secret: null }
    const inspection = inspector.begin(caller, {
      ...where,
      arrived: clock.monotonic(),
      credential,
    })
    const items = [{ method, params }]
    const visit = { caller, network, items, batch: false, exchange: { signal }, inspection }
    const { outcomes } = await gateway.runRpc(visit)
    const fault = outcomes[0] !== undefined && 'fault' in outcomes[0] ? outcomes[0].fault : null
    inspection.end({ fault, status: 200, bytesIn: 1, bytesOut: 1 })
    const [request] = await inspector.list('k', {}, 1)
    ok(request)
    return request
  }
  const replay = async (
    request: Awaited<ReturnType<typeof prepareReplay>>,
    options: { block?: string; upstream?: string } = {},
  ) => await replayRequest(opened, { caller, request }, { call: 0, ...options }, signal)
  return { ...opened, prepareReplay, replay }
}

test('a read is replayed as its key, at its price, without differences', async () => {
  const { prepareReplay, replay, admitted, inspector } = rig()
  const request = await prepareReplay('eth_getBalance', ['0x1'])
  const { before, after, differences, labels } = await replay(request)
  deepEqual(before, { outcome: 'ok', result: { nonce: '0x5', block: 'latest' } })
  deepEqual(after, before)
  deepEqual(differences, [])
  deepEqual([labels.units, labels.verified, labels.blockNumber], [80, 'proof', 9n])
  deepEqual(admitted, [80, 80])
  equal((await inspector.list('k', {}, 10)).length, 1)
})

test('a replay at another block reports the differences', async () => {
  const { prepareReplay, replay } = rig()
  const { params, differences } = await replay(await prepareReplay('eth_getBalance', ['0x1']), {
    block: '0x5',
  })
  deepEqual(params, ['0x1', '0x5'])
  deepEqual(differences, [{ at: '/block', before: 'latest', after: '0x5' }])
})

test('a single upstream is queried at the block of the head', async () => {
  const { prepareReplay, replay, relayed, admitted } = rig()
  const { differences, labels } = await replay(await prepareReplay('eth_getBalance', ['0x1']), {
    upstream: 'two',
  })
  deepEqual(relayed.at(-1)?.upstream, 'two')
  deepEqual(relayed.at(-1)?.pin?.block.number, 9n)
  equal(labels.verified, 'none')
  deepEqual(differences, [
    { at: '/block', before: 'latest' },
    { at: '/code', after: 'two' },
  ])
  deepEqual(admitted, [80, 80])
})

test('what was refused is compared too', async () => {
  const { prepareReplay, replay } = rig()
  const { before, after, differences } = await replay(await prepareReplay('eth_getBalance', []))
  deepEqual(before, { outcome: 'bad_params', result: { code: -32602, message: 'missing' } })
  deepEqual(after, before)
  deepEqual(differences, [])
})

test('writes, truncated calls and requests for absent objects are not replayed', async () => {
  const { prepareReplay, replay, admitted } = rig()
  const refused = async (
    request: Awaited<ReturnType<typeof prepareReplay>>,
    code: string,
    options: { block?: string; upstream?: string } = {},
  ) => await rejects(replay(request, options), { code })
  await refused(await prepareReplay('eth_sendRawTransaction', ['0x1']), 'conflict')
  await refused(await prepareReplay('eth_getFilterChanges', ['0x1']), 'conflict')
  await refused(await prepareReplay('eth_getBalance', ['x'.repeat(30_000)]), 'conflict')
  await refused(await prepareReplay('eth_getBalance', ['Bearer abcdefgh123']), 'conflict')
  const good = await prepareReplay('eth_getBalance', ['0x1'])
  await refused(good, 'absent', { upstream: 'three' })
  await refused({ ...good, network: 'gone' }, 'absent')
  await refused({ ...good, face: 'files' }, 'conflict')
  await refused({ ...good, calls: [] }, 'absent')
  await refused(await prepareReplay('eth_chainId', []), 'bad_input', { block: '0x1' })
  equal(admitted.length, 6)
})
