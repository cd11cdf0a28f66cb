// Entry point of the beacon thread: runs the light client with its requests, JSON parsing and BLS arithmetic outside the request
// thread. It has no database: it sends data to be stored to the thread that started it.
// Tested by test/upstream/consensus-started.test.ts
import { parentPort, workerData } from 'node:worker_threads'
import { systemClock } from '../base/clock.ts'
import { createBeaconClient } from './beacon-client.ts'
import { decompressKeys, verifyAggregate } from './bls.ts'
import { type Evidence, type LightStatus, startLightClient } from './light-client.ts'
import { decodeStore, encodeStore, type SavedText } from './saved-store.ts'
import type { BeaconSpec } from './spec.ts'

export type BeaconOrder = {
  readonly spec: BeaconSpec
  readonly checkpoint: Uint8Array | null
  readonly saved: SavedText | null
  /** URLs; may contain secrets. */
  readonly endpoints: readonly string[]
}

export type FromBeacon =
  | { readonly kind: 'status'; readonly status: LightStatus }
  | { readonly kind: 'store'; readonly saved: SavedText }
  | { readonly kind: 'evidence'; readonly evidence: Evidence }

function post(message: FromBeacon): void {
  parentPort?.postMessage(message)
}

const { spec, checkpoint, saved, endpoints } = workerData as BeaconOrder
startLightClient({
  spec,
  checkpoint,
  saved: saved === null ? null : decodeStore(spec, saved),
  clients: endpoints.map((url) => createBeaconClient(url, systemClock)),
  signatures: { decompress: decompressKeys, verify: verifyAggregate },
  clock: systemClock,
  onStatus: (status) => post({ kind: 'status', status }),
  onStore: (store) => post({ kind: 'store', saved: encodeStore(spec, store) }),
  onEvidence: (evidence) => post({ kind: 'evidence', evidence }),
})
// Timers do not keep a thread alive; a listener on its port does.
parentPort?.on('message', () => {})
