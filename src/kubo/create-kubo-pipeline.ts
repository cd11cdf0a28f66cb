// The order of steps for every command of the IPFS API: authenticate -> authorize -> parse -> admit -> run -> meter.
// Tested by src/server/create-pipeline.test.ts
import { type CardCheck, authenticateFiles } from '../pipeline/authenticate-request.ts'
import { type RefusalDeps, reportRefusals } from '../pipeline/report-refusal.ts'
import type { CommandClass, KuboPipeline, KuboRequest } from './kubo-command.ts'
import type { Caller } from '../access/accounts/caller.ts'
import { Fault } from '../base/fault.ts'
import type { Log } from '../base/log.ts'
import type { ImportProfile } from '../codec/ipld/import-profile.ts'
import type { Files } from '../ipfs/files.ts'
import type {
  FileRequest,
  TransferMeter,
  TransferMeters,
} from '../access/limits/transfer-meters.ts'
import { type UsedCall, filesOutcome } from '../access/usage/usage-row.ts'

export type KuboPipelineDeps = RefusalDeps & {
  /** The IPFS API refuses accounts without a card. */
  readonly cardGate: CardCheck
  readonly files: Files
  /** The files that an account can read, by its ID; null or absent: all. */
  readonly filesOf?: ((accountId: string) => Files) | null
  /** Counts one file command against the key's rate limit. Throws `over_rate`. */
  readonly admitFiles: (caller: Caller, commandClass: CommandClass) => void | Promise<void>
  /** Measures the bytes of file requests. */
  readonly transferMeters: TransferMeters
  /** The import options of the caller's key, for requests that set none. */
  readonly importProfileOf: (caller: Caller) => ImportProfile
  /** Counts one finished call. */
  readonly count: (call: UsedCall) => void
  readonly log: Log
}

export function createKuboPipeline(parts: KuboPipelineDeps): KuboPipeline {
  const { files, admitFiles, transferMeters, importProfileOf, count, clock, log } = parts

  function countRefusal({ keyId, accountId }: Caller, method: string, fault: Fault): void {
    const nothing = { units: 0, bytesIn: 0, bytesOut: 0, ms: null }
    count({
      keyId,
      accountId,
      face: 'files',
      network: '',
      method,
      verified: '',
      ...filesOutcome(fault),
      ...nothing,
    })
  }
  const authentication = reportRefusals(parts, (caller, { method }, fault) =>
    countRefusal(caller, method, fault),
  )

  return {
    authenticateFiles: (credential, command, method = command) =>
      authenticateFiles(authentication, credential, command, {
        cardGate: parts.cardGate,
        method,
      }),
    countRefusal,
    async runFiles(visit) {
      const { caller, operation, signal, connected, inspection } = visit
      const facts = {
        keyId: caller.keyId,
        accountId: caller.accountId,
        face: 'files',
        network: '',
        method: operation.name,
        verified: '',
        units: 0,
      } as const
      const started = clock.monotonic()
      const took = () => clock.monotonic() - started
      let meter: TransferMeter | null = null
      try {
        const input = operation.parse(visit.request, importProfileOf(caller))
        const admitted = admitFiles(caller, operation.class)
        if (admitted instanceof Promise) await admitted
        const opening = transferMeters.open(caller, measuredOf(visit))
        const measured = opening instanceof Promise ? await opening : opening
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
        // Requests refused before admission are not charged.
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
  }
}

/** Uploads with `only-hash` are read and not stored. */
function measuredOf({ operation, request, upload }: KuboRequest): FileRequest {
  const hasUpload = operation.class === 'write' && request.entries !== null
  return {
    declaredBytes: upload?.declaredBytes ?? null,
    reservedBytes: upload?.reservedBytes ?? null,
    stores: operation.stores ?? (hasUpload && request.options.get('only-hash') !== true),
  }
}
