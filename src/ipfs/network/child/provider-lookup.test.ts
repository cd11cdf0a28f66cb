import { deepEqual, equal } from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import { test } from 'node:test'
import { createManualClock } from '../../../../test/fakes/manual-clock.ts'
import { cidOf, rawCodec } from '../../../codec/ipld/cid.ts'
import { sha256Name } from '../../../codec/ipld/multihash.ts'
import type { Provider } from './block-peer.ts'
import { createProviderLookup, dhtDelayMs } from './provider-lookup.ts'

const cid = cidOf(1, rawCodec, sha256Name(Buffer.from('x'))).bytes
const never = new AbortController().signal
const provider: Provider = { kind: 'peer', peer: 'a', addresses: [] }

function finder(whole: boolean, finds: boolean, started: string[], name: string) {
  return {
    async findProviders(_: unknown, take: (provider: Provider) => void) {
      started.push(name)
      if (finds) take(provider)
      return whole
    },
  }
}

async function run(options: { routers: boolean[]; dht?: boolean[]; deep?: boolean }) {
  const started: string[] = []
  const clock = createManualClock()
  const [whole = true, finds = true] = options.routers
  const lookUp = createProviderLookup({
    routers: {
      ...finder(whole, finds, started, 'routers'),
      count: options.routers.length,
    },
    dht:
      options.dht === undefined
        ? null
        : finder(options.dht[0] ?? true, options.dht[1] ?? true, started, 'dht'),
    clock,
  })
  let found = 0
  const result = lookUp(cid, options.deep ?? false, () => (found += 1), never)
  for (let turn = 0; turn < 10; turn++) await setImmediate()
  clock.advance(dhtDelayMs)
  return { whole: await result, found, started }
}

test('the DHT is asked only if no router names a provider', async () => {
  deepEqual(await run({ routers: [true, true], dht: [true, true] }), {
    whole: true,
    found: 1,
    started: ['routers'],
  })
  const both = await run({ routers: [true, false], dht: [true, true] })
  deepEqual([both.whole, both.found, both.started], [true, 1, ['routers', 'dht']])
})

test('a deep lookup asks both at once', async () => {
  const { started, found } = await run({ routers: [true, true], dht: [true, true], deep: true })
  deepEqual([started, found], [['routers', 'dht'], 2])
})

test('a lookup is complete if all that were asked answered, and never without any', async () => {
  equal((await run({ routers: [false, false], dht: [true, false] })).whole, false)
  equal((await run({ routers: [true, false], dht: [false, false] })).whole, false)
  equal((await run({ routers: [] })).whole, false)
  equal((await run({ routers: [true, false], dht: [true, false] })).whole, true)
})
