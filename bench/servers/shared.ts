// The engines that several machines share, and Cairn on them: PostgreSQL with syncs, and an S3 service.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { missingPostgres, type Postgres, startPostgres } from '../../test/engines/postgres.ts'
import {
  bucket,
  missingVersitygw,
  type S3Service,
  startVersitygw,
} from '../../test/fakes/files/versitygw.ts'
import { type Started, startCairn } from '../../test/started-server.ts'
import { upstreamChainId } from '../data/upstream-world.ts'
import { profileHook } from '../profile.ts'
import type { Server } from './bare.ts'

/** Null: all programs are installed; otherwise a message. */
export function missingEngines(): string | null {
  const missing = missingPostgres() || missingVersitygw()
  return missing === false ? null : missing
}

/** PostgreSQL as in production: each commit is synced. */
export async function startBenchPostgres(stack: AsyncDisposableStack): Promise<Postgres> {
  const postgres = await startPostgres(['fsync=on', 'max_connections=200'])
  stack.defer(() => postgres.stop())
  return postgres
}

export function startBucket(stack: AsyncDisposableStack): Promise<S3Service> {
  return startVersitygw({ after: (end) => stack.defer(end) })
}

/** `stack` stops it. `profileFile`: output of the CPU profile; null: no profile. */
export async function startSharedCairn(
  stack: AsyncDisposableStack,
  parts: {
    readonly postgres: Postgres
    readonly s3: S3Service
    readonly upstream: Server
    readonly profileFile: string | null
  },
): Promise<Started> {
  const { postgres, s3, upstream, profileFile } = parts
  const folder = await mkdtemp(join(tmpdir(), 'cairn-bench-shared-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  const config = join(folder, 'cairn.yaml')
  const { endpoint, accessKeyId, secretAccessKey } = s3.access
  const settings = {
    database: { url: postgres.urlOf(await postgres.createDatabase()) },
    node: { only: true },
    objects: { url: `s3://${bucket}/cairn`, endpoint, accessKeyId, secretAccessKey },
    networks: [
      {
        name: 'far',
        chainId: upstreamChainId,
        upstreams: [{ url: `http://127.0.0.1:${upstream.port}`, trusted: true }],
      },
    ],
  }
  await writeFile(config, JSON.stringify(settings), { mode: 0o600 })
  const cairn = await startCairn({
    dataDir: join(folder, 'data'),
    args: ['--config', config],
    ...(profileFile === null
      ? {}
      : { env: { CAIRN_BENCH_PROFILE: profileFile }, nodeArgs: ['--import', profileHook] }),
  })
  stack.defer(async () => void (await cairn.stop()))
  return cairn
}
