// Queries the bucket of the settings, and the owner of its files in the database, without a server.
// Tested by src/cli/doctor/object-checks.test.ts
import { systemClock } from '../base/clock.ts'
import { withDeadline } from '../base/deadline.ts'
import type { Config } from '../config/settings.ts'
import { objectsPolicy } from '../content/objects/s3-policy.ts'
import { parseBucketUrl } from '../content/objects/bucket-url.ts'
import { checkDataSet, type DataSetProblem } from '../content/objects/data-set.ts'
import type { S3Client } from '../content/objects/s3-client.ts'
import { S3Error } from '../content/objects/s3-error.ts'
import type { Rows } from '../db/rows.ts'
import type { ObjectComparison } from './doctor/object-comparison.ts'

export type QueriedObjects = {
  readonly url: string
  /** Why files cannot be stored, and the fix; null: the bucket is readable. */
  readonly failure: string | null
  /** This machine's clock minus that of the service; null: unknown. */
  readonly skewMs: number | null
  /** Null: the bucket belongs to the database, or one of them does not respond. */
  readonly owner: DataSetProblem | null
  /** Null: not compared. */
  readonly comparison: ObjectComparison | null
}

const askMs = 10_000
/** Time limit of a comparison. */
const compareMs = 30 * 60_000

/**
 * Null: no bucket is configured. Takes some seconds; with `isCompared` as long as listing the bucket takes, at most 30 minutes.
 */
export async function queryObjects(
  config: Pick<Config, 'objects' | 'database'>,
  isCompared = false,
): Promise<QueriedObjects | null> {
  const { url, endpoint, region, accessKeyId, secretAccessKey } = config.objects
  const place = url === null ? null : parseBucketUrl(url)
  if (url === null || place === null || accessKeyId === null || secretAccessKey === null)
    return null
  const { createS3Client } = await import('../content/objects/s3-client.ts')
  const settings = { endpoint, region, accessKeyId, secretAccessKey }
  const client = createS3Client(settings, place.bucket, systemClock, objectsPolicy)
  using deadline = withDeadline(null, askMs, systemClock)
  try {
    const time = await client.time(deadline.signal)
    const skewMs = time === null ? null : systemClock.now() - time
    const owner = await queryOwner(config)
    const comparison = isCompared && owner === null ? await compare(config, client, place) : null
    return { url, failure: null, skewMs, owner, comparison }
  } catch (error) {
    const failure = error instanceof Error ? error.message : 'no reply'
    return { url, failure, skewMs: null, owner: null, comparison: null }
  } finally {
    await client.close()
  }
}

/** Null: no database to compare with, or it cannot be queried, which another check reports. */
async function compare(
  { database }: Pick<Config, 'database'>,
  client: S3Client,
  { prefix }: { readonly prefix: string },
): Promise<ObjectComparison | null> {
  if (database.url === null) return null
  const { compareObjects } = await import('./doctor/object-comparison.ts')
  const root = prefix === '' ? '' : `${prefix}/`
  using deadline = withDeadline(null, compareMs, systemClock)
  const { signal } = deadline
  return await withRows(database.url, (rows) =>
    compareObjects(rows, {
      async *list() {
        for await (const page of client.listFrom(`${root}segments/`, '', signal)) {
          yield new Map([...page].map(([key, bytes]) => [key.slice(root.length), bytes]))
        }
      },
      has: async (name) => (await client.list(root + name, signal)).has(root + name),
    }),
  ).catch((error: unknown) => {
    if (error instanceof S3Error || signal.aborted) throw error
    return null
  })
}

async function withRows<T>(url: string, work: (rows: Rows) => Promise<T>): Promise<T> {
  const [{ createConnections }, { createPostgresRows }] = await Promise.all([
    import('../db/postgres/connections.ts'),
    import('../db/postgres/postgres-rows.ts'),
  ])
  const connections = createConnections({ url, size: 1, clock: systemClock })
  try {
    return await work(createPostgresRows(connections, systemClock))
  } finally {
    await connections.close()
  }
}

async function queryOwner({
  objects: settings,
  database,
}: Pick<Config, 'objects' | 'database'>): Promise<DataSetProblem | null> {
  if (database.url === null) return null
  const { createConfiguredObjects } = await import('../server/open-objects.ts')
  const objects = createConfiguredObjects(settings, systemClock)
  if (objects === null) return null
  try {
    return await withRows(database.url, (rows) => checkDataSet(rows, objects, false))
  } catch {
    // Another check reports the failed database.
    return null
  } finally {
    await objects.close()
  }
}
