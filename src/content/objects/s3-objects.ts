// Objects in a bucket. After several failed calls, further calls fail immediately for a second, so that a body is refused before it
// is sent.
// Tested by test/files/s3-objects.test.ts
import { createCircuitBreaker } from '../../base/circuit-breaker.ts'
import type { Clock } from '../../base/clock.ts'
import { Fault } from '../../base/fault.ts'
import type { HashWorker } from '../../codec/hash/hash-worker.ts'
import type { ObjectStore } from './object-store.ts'
import { createPartBuffers } from './part-buffers.ts'
import { createPartsWriter } from './parts-writer.ts'
import { type UploadedPart, createS3Client } from './s3-client.ts'
import { S3Error } from './s3-error.ts'
import { type S3Settings, objectsPolicy } from './s3-policy.ts'

const partBytes = 8 * 1024 * 1024
/** Buffers of all uploads together: 256 MiB, as many as slots of a segment store. */
const partBuffersMax = 32
/** Concurrent deletions. */
const removalsMax = 8
const breakerLimits = { windowMs: 30_000, callsMin: 5, failedShare: 0.5, openMs: 1000 }

/** `prefix`: of all keys; may be empty. `hashWorker`: as in `createS3Client`. */
export function createS3Objects(
  settings: S3Settings,
  { bucket, prefix }: { readonly bucket: string; readonly prefix: string },
  clock: Clock,
  hashWorker: HashWorker | null = null,
): ObjectStore {
  const client = createS3Client(settings, bucket, clock, objectsPolicy, hashWorker)
  const buffers = createPartBuffers(partBuffersMax, partBytes)
  const breaker = createCircuitBreaker(clock, breakerLimits)
  const root = prefix === '' ? '' : `${prefix}/`

  /** Counts the outcome, and converts errors of the service to faults. */
  async function call<T>(work: () => Promise<T>, signal: AbortSignal | null): Promise<T> {
    if (!breaker.mayPass()) throw new Fault('overloaded', { detail: unavailable })
    breaker.pass()
    try {
      const result = await work()
      breaker.succeed()
      return result
    } catch (error) {
      if (signal?.aborted === true) breaker.forget()
      else if (error instanceof S3Error) breaker.fail()
      else breaker.succeed()
      if (error instanceof S3Error)
        throw new Fault('overloaded', { detail: unavailable, cause: error })
      throw error
    }
  }

  return {
    put: (name, body, signal) => call(() => client.put(root + name, body, signal), signal),
    putParts(name) {
      const key = root + name
      return createPartsWriter<UploadedPart>(
        {
          put: (body, signal) => call(() => client.put(key, body, signal), signal),
          begin: (signal) => call(() => client.beginUpload(key, signal), signal),
          putPart: (id, part, body, signal) =>
            call(() => client.putPart({ key, id, part }, body, signal), signal),
          end: (id, parts, signal) =>
            call(() => client.endUpload({ key, id }, parts, signal), signal),
          // The bucket's owner would be charged for the parts. The bucket's lifecycle rule removes uploads that cannot be aborted
          // now.
          abort: (id) => client.abortUpload({ key, id }).catch(() => undefined),
        },
        buffers,
      )
    },
    read: (name, at, bytes, signal, most) =>
      call(() => client.readRange(root + name, at, bytes, signal, most), signal),
    async remove(names, signal) {
      const left = names.values()
      const lane = async (): Promise<void> => {
        for (const name of left) await call(() => client.remove(root + name, signal), signal)
      }
      await Promise.all(Array.from({ length: Math.min(removalsMax, names.length) }, lane))
    },
    async *list(start, after, signal) {
      const behind = after === '' ? '' : root + after
      for await (const page of client.listFrom(root + start, behind, signal)) {
        for (const key of page.keys()) yield key.slice(root.length)
      }
    },
    get isAvailable() {
      return breaker.mayPass()
    },
    close: () => client.close(),
  }
}

/** Message for clients. */
const unavailable = 'the object store is not available'
