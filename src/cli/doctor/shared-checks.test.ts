// Problems that doctor reports about the Valkey that nodes share.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { missingValkey, startValkey } from '../../../test/engines/valkey.ts'
import type { ExaminedValkey } from '../../valkey/examine.ts'
import { runProgram } from '../program.ts'
import { checkShared } from './shared-checks.ts'

async function problemsWith(t: TestContext, url: string) {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-doctor-shared-'))
  t.after(() => rmSync(folder, { recursive: true }))
  let out = ''
  await runProgram(['doctor', '--data-dir', join(folder, 'data'), '--json'], {
    out: (text) => (out += text),
    err: () => {},
    readInput: async () => '',
    env: { CAIRN_SHARED_URL: url },
  })
  const { problems } = JSON.parse(out) as {
    readonly problems: readonly {
      readonly code: string
      readonly text: string
      readonly fix: string
    }[]
  }
  return problems.filter(({ code }) => /^shared_|^clock_apart/.test(code))
}

test('a Valkey that does not answer is a problem, without its password', async (t) => {
  const [problem, ...more] = await problemsWith(t, 'valkey://user:secret@127.0.0.1:1')
  assert.deepEqual(more, [])
  assert.equal(problem?.code, 'shared_unreachable')
  assert.match(
    problem?.text ?? '',
    /^nodes do not share limits: 127\.0\.0\.1:1 of shared\.url does not answer \(.*ECONNREFUSED.*\)$/,
  )
  assert.ok(!problem?.text.includes('secret'))
})

test('a real Valkey is sound; a wrong password is named', { skip: missingValkey() }, async (t) => {
  const { url, port } = await startValkey(t)
  assert.deepEqual(await problemsWith(t, url), [])
  const [problem] = await problemsWith(t, `valkey://user:secret@127.0.0.1:${port}`)
  assert.match(problem?.text ?? '', /WRONGPASS/)
})

test(
  'a replica and a node of a cluster, which refuse changes, have a sentence and a fix each',
  { skip: missingValkey() },
  async (t) => {
    const primary = await startValkey(t)
    const replica = await startValkey(t, ['--replicaof', '127.0.0.1', `${primary.port}`])
    const [problem, ...more] = await problemsWith(t, replica.url)
    assert.deepEqual(more, [])
    assert.equal(problem?.code, 'shared_refuses')
    assert.match(
      problem?.text ?? '',
      /^nodes do not share limits: 127\.0\.0\.1:\d+ of shared\.url refuses changes \(READONLY [^:]+\)$/,
    )
    assert.match(problem?.fix ?? '', /^set shared\.url to the primary/)
    const member = await startValkey(t, ['--cluster-enabled', 'yes'])
    const [refused, cluster] = await problemsWith(t, member.url)
    assert.match(`${refused?.text} ${refused?.fix}`, /CLUSTERDOWN.* repair the cluster/)
    assert.equal(cluster?.code, 'shared_cluster')
  },
)

test('an old version and a clock that is more than a second apart have a sentence each', () => {
  const sound: ExaminedValkey = {
    host: 'v:6379',
    failure: null,
    refusal: null,
    isCluster: false,
    version: [8, 0],
    skewMs: 900,
  }
  const codes = (found: Partial<ExaminedValkey>) =>
    [...checkShared({ ...sound, ...found })].map(({ code }) => code)
  assert.deepEqual(codes({}), [])
  assert.deepEqual(codes({ version: [6, 0] }), ['shared_too_old'])
  assert.deepEqual(codes({ version: [6, 2] }), [])
  assert.deepEqual(codes({ version: [7, 0], skewMs: -1_001 }), ['clock_apart'])
  const [behind] = checkShared({ ...sound, skewMs: -3_200 })
  assert.match(behind?.text ?? '', /is 3\.2 s behind that of v:6379/)
  assert.deepEqual([...checkShared(null)], [])
})
