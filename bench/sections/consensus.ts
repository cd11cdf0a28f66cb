// Processor time of heads by consensus with 512 members: the update for a header, and the committee of a new period, each from its
// JSON to the new store.
import type { Bench } from '../bench.ts'
import { decompressKeys, verifyAggregate } from '../../src/beacon/bls.ts'
import { parseBootstrap, parseUpdate } from '../../src/beacon/light-data.ts'
import { advanceStore, type LightStore, startStore } from '../../src/beacon/store.ts'
import { createBeaconChain, minimalSpec } from '../../test/fakes/beacon/beacon-chain.ts'
import { median, rounds } from '../measure.ts'

const signatures = { decompress: decompressKeys, verify: verifyAggregate }
const spec = minimalSpec({ committeeSize: 512 })
const first = 24
const updatesEach = 16
/** The first ones warm the code up. */
const warmRounds = 2

function cpuMs(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

export function runConsensus({ report }: Bench): Promise<void> {
  report.section('Heads by consensus')
  const chain = createBeaconChain({ spec })
  const begun = startStore(
    spec,
    chain.rootAt(first),
    parseBootstrap(spec, chain.bootstrap(first)),
    signatures,
  )
  const advance = (store: LightStore, text: string): LightStore => {
    const update = parseUpdate(spec, JSON.parse(text))
    const result = advanceStore(spec, store, update, update.signatureSlot, signatures)
    if (result.outcome !== 'applied') throw new Error(`the update is ${result.outcome}`)
    return result.store
  }
  const period = JSON.stringify(chain.update(45))
  const headers = Array.from({ length: updatesEach }, (_, at) =>
    JSON.stringify(chain.optimisticUpdate(46 + at)),
  )
  const figures = Array.from({ length: warmRounds + rounds }, () => {
    let store = begun
    const committee = cpuMs(() => void (store = advance(store, period)))
    const update = cpuMs(() => {
      for (const text of headers) store = advance(store, text)
    })
    return { committee, update: update / updatesEach }
  }).slice(warmRounds)
  const updateMs = median(figures.map(({ update }) => update))
  const committeeMs = median(figures.map(({ committee }) => committee))
  report.figure('update of the head, 512 members', updateMs, ' ms', { atMost: 50 })
  report.figure('committee of a new period, 512 members', committeeMs, ' ms', { atMost: 600 })
  return Promise.resolve()
}
