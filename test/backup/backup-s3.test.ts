// Backups in a bucket of a real S3 service: the suite of targets, the commands, the state of the schedule, and errors.
import assert from 'node:assert/strict'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openTarget } from '../../src/backup/open-target.ts'
import { createS3Client } from '../../src/content/objects/s3-client.ts'
import { openS3Target } from '../../src/backup/s3-target.ts'
import { systemClock } from '../../src/base/clock.ts'
import { runProgram } from '../../src/cli/program.ts'
import { filesClient } from '../fakes/files/files-client.ts'
import { noise } from '../fakes/seeded.ts'
import {
  type S3Service,
  bucket,
  missingVersitygw,
  startVersitygw,
} from '../fakes/files/versitygw.ts'
import { startCairn, temporaryFolder } from '../started-server.ts'
import { testBackupTarget } from '../suites/backup-target.suite.ts'

const skip = missingVersitygw()
const never = new AbortController().signal

testBackupTarget(
  'a bucket',
  async (t) => {
    const { access } = await startVersitygw(t)
    return openTarget(`s3://${bucket}/some/prefix`, access, systemClock)
  },
  { skip },
)

type Environment = Readonly<Record<string, string>>

function environmentOf({ access }: S3Service): Environment {
  return {
    CAIRN_BACKUP_S3_ENDPOINT: access.endpoint ?? '',
    CAIRN_BACKUP_S3_ACCESS_KEY_ID: access.accessKeyId,
    CAIRN_BACKUP_S3_SECRET_ACCESS_KEY: access.secretAccessKey,
  }
}

async function cairn(env: Environment, ...args: readonly string[]) {
  const [out, err]: [string[], string[]] = [[], []]
  const code = await runProgram(args, {
    out: (text) => out.push(text),
    err: (text) => err.push(text),
    readInput: async () => '',
    env,
  })
  return { code, out: out.join(''), err: err.join('') }
}

async function dataFolder(t: TestContext, bytes: number) {
  const root = await temporaryFolder()
  t.after(() => rm(root, { recursive: true, force: true }))
  const dataDir = join(root, 'data')
  const server = await startCairn({ dataDir })
  const content = noise('content of the bucket', bytes)
  const cid = await filesClient(server).add(content)
  await server.stop()
  return { root, dataDir, cid, content, keys: server }
}

test('a backup in a bucket is listed, verified, and restored as a server', { skip }, async (t) => {
  const service = await startVersitygw(t)
  const env = environmentOf(service)
  const { root, dataDir, cid, content, keys } = await dataFolder(t, 30 * 1024 * 1024)
  const to = `s3://${bucket}/team`
  const done = async (...args: readonly string[]) => {
    const { code, out, err } = await cairn(env, ...args, '--json')
    assert.equal(code, 0, err + out)
    return JSON.parse(out) as Record<string, unknown>
  }
  const made = await done('backup', '--to', to, '--data-dir', dataDir)
  const again = await done('backup', '--to', to, '--data-dir', dataDir)
  assert.ok(Number(again['storedBytes']) < Number(made['bytes']) / 2)
  const { backups } = (await done('backup', 'list', '--from', to)) as { backups: object[] }
  assert.equal(backups.length, 2)
  assert.partialDeepStrictEqual(await done('backup', 'verify', '--from', to), { ok: true, pins: 1 })
  const restored = join(root, 'restored')
  await done('restore', '--from', to, '--data-dir', restored)
  const { apiKey, apiKeySecret } = keys
  const copy = { ...(await startCairn({ dataDir: restored })), apiKey, apiKeySecret }
  t.after(() => copy.child.kill('SIGKILL'))
  const reply = await filesClient(copy).post(`cat?arg=${cid}`)
  assert.ok(Buffer.from(await reply.arrayBuffer()).equals(content))
  assert.equal(await copy.stop(), 0)
  // The manifest covers the whole data folder.
  const manifest = await readFile(
    join(service.folder, 'team/backups', `${String(made['id'])}.json`),
  )
  assert.match(manifest.toString(), /"path": "identity\.pem"/)
})

test(
  'wrong keys, an absent bucket and a dead service cause one sentence each',
  { skip },
  async (t) => {
    const service = await startVersitygw(t)
    const env = environmentOf(service)
    const refused = async (message: RegExp, to: string, change: Environment = {}) => {
      const { code, err } = await cairn({ ...env, ...change }, 'backup', 'list', '--from', to)
      assert.equal(code, 1)
      assert.match(err, message)
      assert.equal(err.trim().split('\n').length, 1)
      assert.ok(!err.includes('a stone on a stone'))
    }
    await refused(/the service does not know backup\.s3\.accessKeyId/, `s3://${bucket}`, {
      CAIRN_BACKUP_S3_ACCESS_KEY_ID: 'other',
    })
    await refused(/check backup\.s3\.secretAccessKey/, `s3://${bucket}`, {
      CAIRN_BACKUP_S3_SECRET_ACCESS_KEY: 'wrong',
    })
    await refused(/create the bucket nowhere first/, 's3://nowhere')
    await service.kill()
    await refused(/no reply from http:\/\/127\.0\.0\.1:\d+ \(ECONNREFUSED\)/, `s3://${bucket}`)
  },
)

test('parts of an interrupted upload are removed by the next backup', { skip }, async (t) => {
  const service = await startVersitygw(t)
  const place = { label: 'x', bucket, prefix: 'parts' }
  const target = openS3Target(service.access, place, systemClock)
  t.after(() => target.close())
  const client = createS3Client(service.access, bucket, systemClock)
  t.after(() => client.close())
  const key = `parts/objects/${'a'.repeat(64)}`
  const id = await client.beginUpload(key, never)
  await client.putPart({ key, id, part: 1 }, noise('part', 5 * 1024 * 1024), never)
  assert.deepEqual(await client.listUploads('parts/objects/', never), [{ key, id }])
  await target.clear(never)
  assert.deepEqual(await client.listUploads('parts/objects/', never), [])
})
