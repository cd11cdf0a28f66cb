// A beacon node of a simulated chain over real HTTP: the light client endpoints of the beacon API, and knobs that simulate a
// dishonest or broken endpoint.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { toHex } from '../../../src/base/hex.ts'
import type { BeaconChain, Json, SignOptions } from './beacon-chain.ts'

export type BeaconNodeOptions = {
  chain: BeaconChain
  /** The newest slot with a block: it contains the signature of the block before. */
  headSlot: () => number
  /** Signature options of headers. */
  sign?: SignOptions
  /** Replaces the member `data`; `kind`: `bootstrap`, `update`, `finality_update`, `optimistic_update`. */
  falsify?: (kind: string, data: Json) => unknown
  /** Status of every reply. */
  status?: number
  /** Body instead of JSON. */
  text?: string
}

export type BeaconNode = {
  readonly url: string
  /** Can be changed while the node runs. */
  readonly knobs: BeaconNodeOptions
  /** Paths of requests, oldest first. */
  readonly requests: readonly string[]
}

export async function startBeaconNode(
  t: TestContext,
  options: BeaconNodeOptions,
): Promise<BeaconNode> {
  const knobs = { ...options }
  const requests: string[] = []
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    requests.push(path)
    const body = knobs.text ?? JSON.stringify(answer(knobs, path))
    const status = knobs.status ?? (body === undefined ? 404 : 200)
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(body ?? '{"code":404,"message":"not found"}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, knobs, requests }
}

function answer(knobs: BeaconNodeOptions, path: string): unknown {
  const { pathname, searchParams } = new URL(path, 'http://node')
  const name = pathname.replace('/eth/v1/beacon/light_client/', '')
  const { chain, sign = {}, falsify = (_: string, data: Json): unknown => data } = knobs
  const head = chain.blockAt(knobs.headSlot())
  const attested = chain.blockAt(head - 1)
  const reply = (kind: string, slot: number, data: Json): Json => ({
    version: chain.forkOf(slot),
    data: falsify(kind, data),
  })
  if (name.startsWith('bootstrap/')) {
    const root = name.slice('bootstrap/'.length)
    const slot = findSlot(chain, head, root)
    return slot === null ? undefined : reply('bootstrap', slot, chain.bootstrap(slot))
  }
  const signed = { signatureSlot: head, ...sign }
  if (name === 'optimistic_update')
    return reply(name, attested, chain.optimisticUpdate(attested, signed))
  if (name === 'finality_update')
    return reply(name, attested, chain.finalityUpdate(attested, signed))
  if (name !== 'updates') return undefined
  const first = Number(searchParams.get('start_period'))
  const count = Number(searchParams.get('count'))
  const { slotsPerEpoch, epochsPerPeriod } = chain.spec
  const slots = slotsPerEpoch * epochsPerPeriod
  return Array.from({ length: count }, (_, at) => first + at)
    .filter((period) => period * slots < attested)
    .map((period) => {
      const slot = chain.blockAt(Math.min(attested, (period + 1) * slots - 2))
      return reply('update', slot, chain.update(slot, sign))
    })
}

/** Checkpoints are blocks at epoch boundaries. */
function findSlot(chain: BeaconChain, head: number, root: string): number | null {
  for (let slot = 0; slot <= head; slot += chain.spec.slotsPerEpoch) {
    const block = chain.blockAt(slot)
    if (toHex(chain.rootAt(block)) === root) return block
  }
  return null
}
