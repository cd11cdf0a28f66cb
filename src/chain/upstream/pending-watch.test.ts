import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createManualClock } from '../../../test/fakes/manual-clock.ts'
import { toHex } from '../../base/hex.ts'
import { silentLog } from '../../base/log.ts'
import { createPendingWatch, type PendingSource } from './pending-watch.ts'

const hash = (tag: number) => new Uint8Array(32).fill(tag)
const turns = async (): Promise<void> => {
  for (let n = 0; n < 20; n++) await Promise.resolve()
}

type Node = PendingSource & { waiting: unknown[]; down: boolean; readonly requests: string[] }

function node(name: string): Node {
  const made: Node = {
    name,
    usable: true,
    waiting: [],
    down: false,
    requests: [],
    lacks: () => false,
    async call(method) {
      made.requests.push(method)
      if (made.down) throw new Error('connection refused')
      return method === 'eth_getFilterChanges' ? made.waiting.splice(0) : '0x1'
    },
  }
  return made
}

function watch(nodes: readonly Node[]) {
  const clock = createManualClock()
  const watched = createPendingWatch(nodes, { clock, log: silentLog, network: 'test' })
  const pass = async (ms: number) => {
    clock.advance(ms)
    await turns()
  }
  return { ...watched, pass }
}

test('upstreams are polled only while there is a reader', async () => {
  const one = node('one')
  const { arrivals, pass, stop } = watch([one])
  await pass(10_000)
  assert.deepEqual(one.requests, [])
  assert.equal(arrivals.end, 0)
  one.waiting.push(toHex(hash(1)), toHex(hash(2)), 'junk', 7)
  await pass(1_400)
  assert.deepEqual(arrivals.read(0, 10), [hash(1), hash(2)])
  for (let n = 0; n < 100; n += 1) await pass(700)
  const { length } = one.requests
  await pass(70_000)
  assert.equal(one.requests.length, length)
  stop()
})

test('if one upstream fails, another one is polled', async () => {
  const [one, two] = [node('one'), node('two')]
  const { arrivals, pass, stop } = watch([one, two])
  assert.equal(arrivals.end, 0)
  await pass(700)
  one.down = true
  two.waiting.push(toHex(hash(3)))
  for (let n = 0; n < 4; n += 1) await pass(700)
  assert.deepEqual(arrivals.read(0, 10), [hash(3)])
  stop()
})
