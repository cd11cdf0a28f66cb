// Asks the bucket of the settings, and the database for the owner of the files in it, without a server.
// Tested by src/cli/doctor/object-checks.test.ts
import { systemClock } from '../base/clock.ts'
import { withDeadline } from '../base/deadline.ts'
import type { Config } from '../config/settings.ts'
import { objectsPolicy } from '../content/objects/s3-policy.ts'
import { parseBucketUrl } from '../content/objects/bucket-url.ts'
import { checkDataSet, type DataSetProblem } from '../content/objects/data-set.ts'

export type QueriedObjects = {
  readonly url: string
  /** Why files cannot be stored, and what to change; null: the bucket can be read. */
  readonly failure: string | null
  /** The clock of this machine minus that of the service; null: unknown. */
  readonly skewMs: number | null
  /** Null: the bucket belongs to the database, or one of them cannot be asked. */
  readonly owner: DataSetProblem | null
}

const askMs = 10_000

/** Null: no bucket is configured. Takes at most some seconds. */
export async function queryObjects(
  config: Pick<Config, 'objects' | 'database'>,
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
    return { url, failure: null, skewMs, owner: await queryOwner(config) }
  } catch (error) {
    const failure = error instanceof Error ? error.message : 'no reply'
    return { url, failure, skewMs: null, owner: null }
  } finally {
    await client.close()
  }
}

async function queryOwner({
  objects: settings,
  database,
}: Pick<Config, 'objects' | 'database'>): Promise<DataSetProblem | null> {
  if (database.url === null) return null
  const [{ createConfiguredObjects }, { createConnections }, { createPostgresRows }] =
    await Promise.all([
      import('../server/open-objects.ts'),
      import('../db/postgres/connections.ts'),
      import('../db/postgres/postgres-rows.ts'),
    ])
  const objects = createConfiguredObjects(settings, systemClock)
  if (objects === null) return null
  const connections = createConnections({ url: database.url, size: 1, clock: systemClock })
  try {
    return await checkDataSet(createPostgresRows(connections, systemClock), objects, false)
  } catch {
    // Another check reports the database.
    return null
  } finally {
    await connections.close()
    await objects.close()
  }
}
