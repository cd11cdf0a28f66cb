// `cairn backup` and `cairn restore` as an operator runs them: while a server runs, list, verify, restore elsewhere, wrong usage,
// interruption.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { runProgram } from '../../src/cli/program.ts'
import { takeFirstRun } from '../fakes/people/admin-client.ts'
import { sendTransfer } from '../browser/send-transfer.ts'
import { filesClient } from '../fakes/files/files-client.ts'
import { noise } from '../fakes/seeded.ts'
import { bin, rpc, startCairn, temporaryFolder } from '../started-server.ts'

type Ran = { readonly code: number; readonly out: string; readonly err: string }

async function cairn(...args: readonly string[]): Promise<Ran> {
  const [out, err]: [string[], string[]] = [[], []]
  const code = await runProgram(args, {
    out: (text) => out.push(text),
    err: (text) => err.push(text),
    readInput: async () => '',
    env: {},
  })
  return { code, out: out.join(''), err: err.join('') }
}

async function json(...args: readonly string[]): Promise<Record<string, unknown>> {
  const { code, out, err } = await cairn(...args, '--json')
  assert.equal(code, 0, err + out)
  return JSON.parse(out) as Record<string, unknown>
}

async function folders(t: TestContext) {
  const root = await temporaryFolder()
  t.after(() => rm(root, { recursive: true, force: true }))
  return { data: join(root, 'data'), to: join(root, 'backups'), root }
}

test('a backup of a running server is a server elsewhere: keys, pins, files, chain and people', async (t) => {
  const { data, to, root } = await folders(t)
  const server = await startCairn({ dataDir: data })
  t.after(() => server.child.kill('SIGKILL'))
  const client = filesClient(server)
  const large = noise('large', 6 * 1024 * 1024)
  const cids = [await client.add(Buffer.from('small')), await client.add(large)]
  await sendTransfer(server)
  const { result: head } = await server.rpc('eth_blockNumber')
  assert.notEqual(head, '0x0')
  await takeFirstRun(server)
  const made = await json('backup', '--to', to, '--data-dir', data)
  assert.equal(made['notRemoved'], null)
  const later = await client.add(Buffer.from('after the backup'))
  const second = await json('backup', '--to', to, '--data-dir', data)
  assert.ok(Number(second['storedBytes']) < Number(second['bytes']))

  const { backups } = (await json('backup', 'list', '--from', to)) as { backups: { id: string }[] }
  assert.deepEqual(
    backups.map(({ id }) => id),
    [made['id'], second['id']],
  )
  const verified = await json('backup', 'verify', '--from', to)
  assert.partialDeepStrictEqual(verified, { ok: true, id: second['id'], pins: 3 })

  const restored = join(root, 'restored')
  const id = String(made['id'])
  await json('restore', '--from', to, '--backup', id, '--data-dir', restored)
  const { apiKey, apiKeySecret } = server
  const copy = { ...(await startCairn({ dataDir: restored })), apiKey, apiKeySecret }
  t.after(() => copy.child.kill('SIGKILL'))
  // The restored operator can sign in, so there is no first-run link.
  assert.equal(copy.firstRunLink, null)
  const copied = filesClient(copy)
  const read = async (cid: string) =>
    Buffer.from(await (await copied.post(`cat?arg=${cid}`)).arrayBuffer())
  assert.equal((await read(cids[0] ?? '')).toString(), 'small')
  assert.ok((await read(cids[1] ?? '')).equals(large))
  assert.notEqual((await copied.post(`cat?arg=${later}&offline=true`)).status, 200)
  const copyRpc = await rpc(copy.url, apiKey, 'eth_blockNumber')
  assert.equal(copyRpc.result, head)
  // The restored server creates its own backups.
  const own = join(root, 'own')
  await json('backup', '--to', own, '--data-dir', restored)
  assert.equal(await copy.stop(), 0)
  assert.equal(await server.stop(), 0)
  assert.equal((await cairn('store', 'verify', '--data-dir', restored)).code, 0)
  // Without a running server.
  await json('backup', '--to', to, '--data-dir', data, '--keep', '1')
  assert.equal((await readdir(join(to, 'backups'))).length, 1)
})

test('a damaged backup is found by verify, with exit code 1, and refused by restore', async (t) => {
  const { data, to, root } = await folders(t)
  const server = await startCairn({ dataDir: data })
  const cid = await filesClient(server).add(noise('file', 300_000))
  await server.stop()
  await json('backup', '--to', to, '--data-dir', data)
  for (const name of await readdir(join(to, 'objects'))) {
    await truncate(join(to, 'objects', name), 10)
  }
  const verified = await cairn('backup', 'verify', '--from', to)
  assert.equal(verified.code, 1)
  assert.match(verified.out, /damaged {2}cairn\.db \(object [0-9a-f]{64}\): 10 bytes, expected/)
  const restored = join(root, 'restored')
  const refused = await cairn('restore', '--from', to, '--data-dir', restored)
  assert.equal(refused.code, 1)
  assert.match(refused.err, /of the backup is damaged/)
  assert.deepEqual(await readdir(restored), ['restoring'])
  assert.ok(cid !== '')
})

test('wrong use and absent backups cause one sentence each', async (t) => {
  const { data, to, root } = await folders(t)
  const refused = async (code: number, message: RegExp, ...args: readonly string[]) => {
    const ran = await cairn(...args)
    assert.match(ran.err, message)
    assert.equal(ran.code, code, ran.err)
    assert.equal(ran.out, '')
  }
  await refused(2, /no target of backups: use --to/, 'backup', '--data-dir', data)
  await refused(2, /no target of backups: use --from/, 'backup', 'list')
  await refused(2, /no target of backups: use --from/, 'restore', '--data-dir', data)
  await refused(1, /no data in/, 'backup', '--to', to, '--data-dir', data)
  await refused(2, /--keep is "0", expected 1 to/, 'backup', '--to', to, '--keep', '0')
  await refused(
    1,
    /needs a key: set backup\.s3\.accessKeyId/,
    'backup',
    'list',
    '--from',
    's3://bucket',
  )
  await refused(1, /expected a folder or s3:/, 'backup', 'list', '--from', 'https://example.com')
  await refused(1, /contains no backup/, 'restore', '--from', to, '--data-dir', data)
  assert.equal((await cairn('backup', 'list', '--from', to)).out, 'no backups\n')
  await writeFile(join(root, 'file'), '')
  await refused(1, /file/, 'backup', 'list', '--from', join(root, 'file'))
  const server = await startCairn({ dataDir: data })
  await server.stop()
  await json('backup', '--to', to, '--data-dir', data)
  await refused(
    1,
    /contains no backup nothing: cairn backup list shows them/,
    'restore',
    '--from',
    to,
    '--backup',
    'nothing',
    '--data-dir',
    join(root, 'new'),
  )
  await refused(1, /is not empty/, 'restore', '--from', to, '--data-dir', data)
  await refused(1, /is in the data folder/, 'backup', '--to', join(data, 'b'), '--data-dir', data)
})

test('a disk that takes no more ends a backup with the name of the file, and earlier backups stay', async (t) => {
  const { data, to } = await folders(t)
  const server = await startCairn({ dataDir: data })
  await json('backup', '--to', to, '--data-dir', data)
  await filesClient(server).add(noise('file', 4 * 1024 * 1024))
  await server.stop()
  // Simulates a full disk: a limit of 2 MiB per file.
  const command = `trap '' XFSZ; ulimit -f 4096; exec "$0" "$@"`
  const child = spawn(
    'sh',
    ['-c', command, process.execPath, bin, 'backup', '--to', to, '--data-dir', data],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  )
  let err = ''
  child.stderr.on('data', (text: Buffer) => (err += text.toString()))
  const [code] = (await once(child, 'exit')) as [number]
  assert.equal(code, 1)
  assert.match(err, /^cairn: cannot write \S+: the file is too large for its disk\n$/m)
  assert.ok(!(await readdir(data)).includes('backup-staging'))
  const { backups } = (await json('backup', 'list', '--from', to)) as { backups: object[] }
  assert.equal(backups.length, 1)
  assert.partialDeepStrictEqual(await json('backup', 'verify', '--from', to), { ok: true })
})

test('Ctrl-C ends a backup with one line and exit code 1, and the next one is complete', async (t) => {
  const { data, to } = await folders(t)
  const server = await startCairn({ dataDir: data })
  await filesClient(server).add(noise('file', 32 * 1024 * 1024))
  await server.stop()
  // Simulates a slow target: a pipe instead of its folder would block the command, but a signal ends it immediately.
  const child = spawn(process.execPath, [bin, 'backup', '--to', to, '--data-dir', data], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let err = ''
  child.stderr.on('data', (text: Buffer) => (err += text.toString()))
  // The backup has started when its staging folder exists.
  while (!(await readdir(data)).includes('backup-staging') && child.exitCode === null) {
    await new Promise(setImmediate)
  }
  child.kill('SIGINT')
  const [code] = (await once(child, 'exit')) as [number]
  if (code !== 0) {
    assert.equal(code, 1)
    assert.match(err, /^cairn: interrupted\n$/m)
    assert.ok(!(await readdir(data)).includes('backup-staging'))
  }
  await json('backup', '--to', to, '--data-dir', data)
  assert.partialDeepStrictEqual(await json('backup', 'verify', '--from', to), { ok: true })
})
