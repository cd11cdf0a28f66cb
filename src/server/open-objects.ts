// Opens the store of file blocks that several machines share: objects in a bucket, their rows in PostgreSQL. Loaded only if
// configured.
// Tested by test/server/objects-started.test.ts
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { HashWorker } from '../codec/hash/hash-worker.ts'
import type { Config } from '../config/settings.ts'
import type { LocalStore } from '../content/block-store.ts'
import { parseBucketUrl } from '../content/objects/bucket-url.ts'
import { checkDataSet, describeDataSet } from '../content/objects/data-set.ts'
import {
  type ObjectBlockStore,
  openObjectBlockStore,
} from '../content/objects/object-block-store.ts'
import type { ObjectStore } from '../content/objects/object-store.ts'
import { openRangeCache } from '../content/objects/range-cache.ts'
import { createS3Objects } from '../content/objects/s3-objects.ts'
import type { Rows } from '../db/rows.ts'
import type { ResumableUploads } from '../kubo/tus/resumable-uploads.ts'
import { openSharedUploads } from '../kubo/tus/shared-uploads.ts'
import { createPartBuffers } from '../content/objects/part-buffers.ts'

const uploadPartBytes = 8 * 1024 * 1024
/** Uploads that receive bytes in parallel, 128 MiB in total; others wait. */
const uploadPartsMax = 16

/** Resumable uploads stored in the bucket. */
export function openUploads(
  parts: Omit<Parameters<typeof openSharedUploads>[0], 'buffers'>,
): Promise<ResumableUploads> {
  const buffers = createPartBuffers(uploadPartsMax, uploadPartBytes)
  return openSharedUploads({ ...parts, buffers })
}

/** Null: no bucket is configured. Sends no request. */
export function createConfiguredObjects(
  { url, ...settings }: Config['objects'],
  clock: Clock,
  hashWorker: HashWorker | null = null,
): ObjectStore | null {
  const place = url === null ? null : parseBucketUrl(url)
  if (place === null) return null
  const { endpoint, region, accessKeyId, secretAccessKey } = settings
  if (accessKeyId === null || secretAccessKey === null) return null
  const access = { endpoint, region, accessKeyId, secretAccessKey }
  return createS3Objects(access, place, clock, hashWorker)
}

/** Throws a sentence for the operator if the bucket cannot be used or belongs to another server. */
export async function openObjects(parts: {
  readonly config: Pick<Config, 'dataDir' | 'objects'> & {
    readonly node: { readonly name: string | null }
  }
  /** Digests of the current settings; absent: this is no server. */
  readonly settings?: () => string | null
  /** Rows in PostgreSQL. */
  readonly rows: Rows
  readonly local: LocalStore
  readonly hashWorker?: HashWorker | null
  readonly clock: Clock
  readonly log: Log
}): Promise<ObjectBlockStore> {
  const { config, settings = () => null, rows, local, hashWorker = null, clock, log } = parts
  const { url, cacheBytes, deleteDelayMs } = config.objects
  const objects = createConfiguredObjects(config.objects, clock, hashWorker)
  if (objects === null || url === null) throw new Error('no bucket is configured')
  await using opening = new AsyncDisposableStack()
  opening.defer(() => objects.close())
  await requireOwnership(rows, objects, url)
  const path = join(config.dataDir, 'object-cache')
  const ranges = await openRangeCache({ objects, path, bytesMax: cacheBytes, log })
  const store = await openObjectBlockStore({
    rows,
    objects,
    ranges,
    local,
    node: config.node.name ?? hostname(),
    settings,
    deleteDelayMs,
    hashWorker,
    clock,
    log,
  })
  opening.move()
  return store
}

async function requireOwnership(rows: Rows, objects: ObjectStore, url: string): Promise<void> {
  const problem = await checkDataSet(rows, objects, true).catch((error: unknown) => {
    // The S3 client's message says how to fix it.
    const { cause } = error as Error
    throw cause instanceof Error ? new Error(cause.message, { cause: error }) : error
  })
  if (problem === null) return
  const { message, fix } = describeDataSet(problem, url)
  throw new Error(`${message}: ${fix}`)
}
