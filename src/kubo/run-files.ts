// The order for file commands once the caller is known: parse, admit, run, meter.
// Tested by src/pipeline/create-pipeline.test.ts
import type { Caller } from '../access/accounts/caller.ts'
import type { Clock } from '../base/clock.ts'
import { Fault } from '../base/fault.ts'
import type { Log } from '../base/log.ts'
import type { ImportProfile } from '../codec/ipld/import-profile.ts'
import type { Files } from '../ipfs/files.ts'
import type { TransferMeter, TransferMeters, FileRequest } from '../access/limits/transfer-meters.ts'
import { filesOutcome, type UsedCall } from '../access/usage/usage-row.ts'
import type { KuboRequest, Pipeline } from '../pipeline/pipeline.ts'
import type { FilesClass } from '../pipeline/operation.ts'

export type FilesRunParts = {
  readonly files: Files
  /** What an account sees of them, by its id; null or absent: all of them. */
  readonly filesOf?: ((accountId: string) => Files) | null
  /** Takes one file command from the key's rate. Throws `over_rate`. */
  readonly admitFiles: (caller: Caller, commandClass: FilesClass) => void
  /** Measures the bytes of file requests. */
  readonly transferMeters: TransferMeters
  /** The import options of a caller that names none. */
  readonly importProfileOf: (caller: Caller) => ImportProfile
  /** Counts one finished call. */
  readonly count: (call: UsedCall) => void
  readonly clock: Pick<Clock, 'monotonic'>
  readonly log: Log
}

export function createFilesRuns(parts: FilesRunParts): Pick<Pipeline, 'runFiles' | 'countRefusal'> {
  const { files, admitFiles, transferMeters, importProfileOf, count, clock, log } = parts
  return {
    async runFiles(visit) {
      const { caller, operation, signal, connected, inspection } = visit
      const facts = {
        keyId: caller.keyId,
        accountId: caller.accountId,
        face: 'files',
        network: '',
        method: operation.name,
        units: 0,
      } as const
      const began = clock.monotonic()
      const took = () => clock.monotonic() - began
      let meter: TransferMeter | null = null
      try {
        const input = operation.parse(visit.request, importProfileOf(caller))
        admitFiles(caller, operation.class)
        const measured = transferMeters.open(caller, measuredOf(visit))
        meter = measured
        if (visit.upload !== undefined) {
          visit.upload.onChunk = (bytes) => measured.upload(bytes)
        }
        inspection?.timeline.reached('admit')
        const seen = parts.filesOf?.(caller.accountId) ?? files
        const reply = await operation.run(input, { caller, files: seen, connected, signal })
        inspection?.timeline.reached('run')
        return {
          reply,
          download: measured,
          settle: (fault, bytes) => {
            measured.end(bytes)
            const moved = { bytesIn: bytes.in, bytesOut: bytes.out }
            count({ ...facts, ...filesOutcome(fault), ...moved, ms: took() })
          },
        }
      } catch (thrown) {
        // What was refused before it was admitted costs nothing.
        const bytesIn = meter === null ? 0 : (visit.upload?.bytes ?? 0)
        meter?.end({ in: bytesIn, out: 0 })
        const fault = Fault.from(thrown)
        if (fault.code === 'internal')
          log('error', 'operation failed', { method: operation.name, cause: fault.cause })
        const ms = meter === null ? null : took()
        count({ ...facts, ...filesOutcome(fault), bytesIn, bytesOut: 0, ms })
        throw fault
      }
    },

    countRefusal({ keyId, accountId }, method, fault) {
      const nothing = { units: 0, bytesIn: 0, bytesOut: 0, ms: null }
      count({
        keyId,
        accountId,
        face: 'files',
        network: '',
        method,
        ...filesOutcome(fault),
        ...nothing,
      })
    },
  }
}

/** What comes with `only-hash` is read, and kept by nobody. */
function measuredOf({ operation, request, upload }: KuboRequest): FileRequest {
  const keeps = operation.class === 'write' && request.entries !== null
  return {
    declaredBytes: upload?.declaredBytes ?? null,
    reservedBytes: upload?.reservedBytes ?? null,
    stores: keeps && request.options.get('only-hash') !== true,
  }
}
