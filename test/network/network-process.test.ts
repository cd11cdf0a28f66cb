// The server's side of the IPFS network, with the failures that it must survive. A real thread and a real process, without peers.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { hasCode } from '../../src/base/fault.ts'
import { valuesMax } from '../../src/ipfs/network/peer-network.ts'
import { defaultSupervisorLimits } from '../../src/ipfs/network/supervisor.ts'
import { blockOf, blocksMax } from '../fakes/network/network-process.ts'
import { startPeerNetwork } from '../fakes/network/peer-network.ts'
import { until } from '../fakes/until.ts'

/** Resolves when the condition holds. */
const reached = (holds: () => boolean) => until(() => assert.ok(holds()), 30_000)

const code = (expected: string) => (thrown: unknown) => hasCode(thrown, expected as never)
const isUp = (network: { readonly status: { readonly state: string } }) => () =>
  network.status.state === 'up'

test('a block that the process finds is verified and read', async (t) => {
  const { read, network } = await startPeerNetwork(t)
  assert.deepEqual(await read(1), new Uint8Array(blockOf(1).bytes))
  assert.equal(network.status.wants, 0)
  await reached(() => network.status.counts !== null)
})

test('more blocks than the window of credit come one after another', async (t) => {
  const { read } = await startPeerNetwork(t)
  for (let round = 0; round < 3; round += 1) {
    const numbers = Array.from({ length: blocksMax }, (_, number) => number)
    const blocks = await Promise.all(numbers.map((number) => read(number)))
    assert.ok(blocks.every((bytes, number) => Buffer.compare(bytes, blockOf(number).bytes) === 0))
  }
})

test('bytes of another block are refused', async (t) => {
  const { read, events } = await startPeerNetwork(t, 'wrong')
  await assert.rejects(read(1), code('unverified'))
  assert.ok(events.includes('network_process_lied'))
})

test('a block without a provider is absent, and one that could not be looked up is not', async (t) => {
  const absent = await startPeerNetwork(t, 'absent')
  await assert.rejects(absent.read(1), code('not_found'))
  const failing = await startPeerNetwork(t, 'failing')
  await assert.rejects(failing.read(1), {
    code: 'no_upstream',
    message: /^no source reachable: no peer of the IPFS network that has the block/,
  })
})

test('a read without a session does not reach the network', async (t) => {
  const { obtain, network } = await startPeerNetwork(t)
  await reached(isUp(network))
  const ref = { kind: 'dag-block', hash: blockOf(1).hash } as const
  await assert.rejects(obtain(ref, {}, AbortSignal.timeout(30_000)), code('not_found'))
  const offline = { offline: true, session: { root: ref.hash, account: 'a' } }
  await assert.rejects(obtain(ref, offline, AbortSignal.timeout(30_000)), code('not_found'))
  await reached(() => network.status.counts !== null)
  assert.equal(network.status.counts?.blocksReceived, 0)
})

test('the origins of a read are hints of its session', async (t) => {
  const { obtain, network } = await startPeerNetwork(t)
  const { hash } = blockOf(1)
  const origins = ['/ip4/192.0.2.1/tcp/4001/p2p/12D3One', '/ip4/192.0.2.2/tcp/4001/p2p/12D3Two']
  const session = { root: hash, account: 'a', origins }
  await obtain({ kind: 'dag-block', hash }, { session }, AbortSignal.timeout(30_000))
  const signal = AbortSignal.timeout(30_000)
  const hints = await Array.fromAsync(network.command({ name: 'swarm/addrs' }, signal))
  assert.deepEqual(hints, [origins.join(' ')])
})

test('a read that is over leaves no want behind', async (t) => {
  const { read, network } = await startPeerNetwork(t, 'silent')
  const gone = new AbortController()
  const reading = read(1, { signal: gone.signal })
  await reached(() => network.status.wants === 1)
  assert.equal(network.wantsOf('a').length, 1)
  assert.equal(network.wantsOf('b').length, 0)
  gone.abort()
  await assert.rejects(reading)
  assert.equal(network.status.wants, 0)
})

test('a process that dies ends its wants, and another takes over', async (t) => {
  const { read, network, events } = await startPeerNetwork(t, 'dying')
  await assert.rejects(read(1), code('no_upstream'))
  network.apply(
    { routers: ['honest'], peers: [], limits: { connectionsMax: 8, bytesPerSecondMax: 0 } },
    false,
  )
  await reached(() => network.status.restarts > 0)
  assert.match(network.status.deaths[0]?.reason ?? '', /exit code 7/)
  assert.ok(events.some((event) => event.startsWith('network_process_ended exit code 7')))
})

test('a process that hangs is killed, and its wants end', async (t) => {
  const limits = { ...defaultSupervisorLimits, firstDelayMs: 50, checkMs: 100 }
  const { read, network } = await startPeerNetwork(t, 'hanging', { limits })
  await assert.rejects(read(1), code('no_upstream'))
  await reached(() => network.status.deaths.length > 0)
  assert.match(network.status.deaths[0]?.reason ?? '', /no answer/)
})

test('a process that sends what is no frame is ended, and its wants end', async (t) => {
  const { read, network } = await startPeerNetwork(t, 'malformed')
  await Promise.allSettled([read(1), read(2)])
  await reached(() => network.status.deaths.length > 0)
  assert.match(network.status.deaths[0]?.reason ?? '', /a frame of kind/)
})

test('a process that sends more than its credit while this thread is busy is ended', async (t) => {
  const { read, network } = await startPeerNetwork(t, 'flooding')
  await reached(isUp(network))
  const reading = Promise.allSettled([read(1)])
  await setImmediate()
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2000)
  await reading
  await reached(() => network.status.deaths.length > 0)
  assert.match(network.status.deaths[0]?.reason ?? '', /without credit/)
})

test('a process that ends again and again is down, and still restarted', async (t) => {
  const { read, network } = await startPeerNetwork(t, 'dying')
  await until(async () => {
    await read(1).catch(() => {})
    assert.equal(network.status.deaths.length, 5)
  }, 30_000)
  await reached(() => network.status.state !== 'up')
  const { restarts } = network.status
  await until(async () => {
    await read(1).catch(() => {})
    assert.ok(network.status.restarts > restarts)
  }, 30_000)
})

test('a port that is taken is reported, and blocks are found all the same', async (t) => {
  const { read, network, events } = await startPeerNetwork(t, 'deaf')
  assert.equal((await read(1)).length, 65_536)
  assert.match(network.status.ready?.listenProblem ?? '', /EADDRINUSE/)
  assert.ok(events.includes('network_not_listening'))
})

test('a command gets the values of its reply, an error its text', async (t) => {
  const { network } = await startPeerNetwork(t)
  const signal = AbortSignal.timeout(30_000)
  const values = await Array.fromAsync(network.command({ name: 'swarm/peers' }, signal))
  assert.deepEqual(values, [1, 2])
  const refused = Array.fromAsync(network.command({ name: 'swarm/connect', arg: 'x' }, signal))
  await assert.rejects(refused, /no such peer/)
  const gone = new AbortController()
  const waiting = Array.fromAsync(network.command({ name: 'stats/bw' }, gone.signal))
  const ended = assert.rejects(waiting, code('hung_up'))
  gone.abort()
  await ended
})

test('64 commands run, and a further one is refused', async (t) => {
  const { network } = await startPeerNetwork(t)
  const gone = new AbortController()
  const running = Array.from({ length: 64 }, () =>
    Array.fromAsync(network.command({ name: 'stats/bw' }, gone.signal)).catch(() => {}),
  )
  await assert.rejects(
    Array.fromAsync(network.command({ name: 'stats/bw' }, gone.signal)),
    code('overloaded'),
  )
  gone.abort()
  await Promise.all(running)
})

test('a reply of more than 10,000 unread values ends with an error, after them', async (t) => {
  const { network } = await startPeerNetwork(t)
  const signal = AbortSignal.timeout(30_000)
  const find = (max: number) =>
    network.command({ name: 'routing/findprovs', arg: 'x', max }, signal)
  const fits = find(valuesMax + 1)
  const over = find(valuesMax + 2)
  // One value is read, and the others wait.
  assert.deepEqual([(await fits.next()).value, (await over.next()).value], [1, 1])
  await Array.fromAsync(network.command({ name: 'swarm/peers' }, signal))
  assert.equal((await Array.fromAsync(fits)).length, valuesMax)
  const read: unknown[] = []
  const ended = (async () => {
    for await (const value of over) read.push(value)
  })()
  await assert.rejects(ended, code('overloaded'))
  assert.equal(read.length, valuesMax)
})

test('the heap of the process has the limit of the settings', async (t) => {
  const { network } = await startPeerNetwork(t)
  const [flags] = await Array.fromAsync(
    network.command({ name: 'id' }, AbortSignal.timeout(30_000)),
  )
  assert.equal(flags, '--max-old-space-size=64 --initial-old-space-size=32')
})

test('of the errors that a process writes before it ends, a line is logged', async (t) => {
  const { read, network } = await startPeerNetwork(t, 'complaining')
  await Promise.allSettled([read(1)])
  await reached(() => network.status.deaths.length > 0)
  const reason = network.status.deaths[0]?.reason ?? ''
  assert.match(reason, /^exit code 7: .*complaint/)
  assert.ok(reason.length < 400, `${reason.length} characters`)
})

test('announcements get one code for each block', async (t) => {
  const { network } = await startPeerNetwork(t)
  await reached(isUp(network))
  assert.deepEqual(
    await network.provide([blockOf(1).hash, blockOf(2).hash], 0, AbortSignal.timeout(30_000)),
    new Uint8Array(2),
  )
})

test('peers get no block that is not public', async (t) => {
  const { network } = await startPeerNetwork(t)
  const hex = Buffer.from(blockOf(1).hash).toString('hex')
  for (const arg of [`size ${hex}`, `whole ${hex}`]) {
    const [answer] = await Array.fromAsync(
      network.command({ name: 'routing/get', arg }, AbortSignal.timeout(30_000)),
    )
    assert.equal(answer, 'not here')
  }
})

test('while the process is killed again and again, each block is right or an error', async (t) => {
  const forMs = Number(process.env['CAIRN_KILL_MS'] ?? 5000)
  const { read, network } = await startPeerNetwork(t)
  const end = performance.now() + forMs
  const outcomes = { right: 0, failed: 0 }
  let kills = 0
  async function readOn(): Promise<void> {
    for (let number = 0; performance.now() < end; number = (number + 1) % blocksMax) {
      try {
        assert.equal(Buffer.compare(await read(number), blockOf(number).bytes), 0)
        outcomes.right += 1
      } catch (error) {
        assert.ok(hasCode(error, 'no_upstream'), String(error))
        outcomes.failed += 1
        await reached(() => network.status.state === 'up' || performance.now() > end)
      }
    }
  }
  async function killOn(): Promise<void> {
    while (performance.now() < end) {
      await reached(() => network.status.state === 'up')
      const { pid } = network.status
      if (pid === null) continue
      const right = outcomes.right
      await reached(() => outcomes.right > right || performance.now() > end)
      process.kill(pid, 'SIGKILL')
      kills += 1
      await reached(() => network.status.pid !== pid)
    }
  }
  await Promise.all([readOn(), readOn(), killOn()])
  t.diagnostic(JSON.stringify({ ...outcomes, kills, restarts: network.status.restarts }))
  await reached(isUp(network))
  assert.equal((await read(1)).length, 65_536)
})
