import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { obtainPublicKey } from './server-identity.ts'

const processes = 6

test('processes that start concurrently in a new folder share one key pair and leave no temporary file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-identity-'))
  try {
    const program = `
      import { obtainPublicKey } from ${JSON.stringify(new URL('server-identity.ts', import.meta.url).href)}
      process.stdout.write(Buffer.from(obtainPublicKey({ dataDir: ${JSON.stringify(folder)}, secretsFile: null })).toString('hex'))`
    const run = () =>
      promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program])
    const printed = await Promise.all(Array.from({ length: processes }, run))
    const own = Buffer.from(obtainPublicKey({ dataDir: folder, secretsFile: null })).toString('hex')
    assert.deepEqual(
      printed.map(({ stdout }) => stdout),
      Array.from({ length: processes }, () => own),
    )
    assert.deepEqual(readdirSync(folder), ['identity.pem'])
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('a key pair in a file of its own is used by every data folder, and never created', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-identity-'))
  try {
    const secretsFile = join(folder, 'identity.pem')
    const [one, other] = [join(folder, 'one'), join(folder, 'other')]
    assert.throws(
      () => obtainPublicKey({ dataDir: one, secretsFile }),
      /^Error: secretsFile .* does not exist: copy/,
    )
    const own = obtainPublicKey({ dataDir: folder, secretsFile: null })
    assert.deepEqual(obtainPublicKey({ dataDir: one, secretsFile }), own)
    assert.deepEqual(obtainPublicKey({ dataDir: other, secretsFile }), own)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
