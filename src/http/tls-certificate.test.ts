import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { makeCertificate, missingOpenssl } from '../../test/fakes/people/make-certificate.ts'
import { tlsCertificate, tlsKey } from '../../test/fakes/people/tls-identity.ts'
import { readTlsCertificate } from './tls-certificate.ts'

async function write(t: TestContext, cert: string, key: string) {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-test-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const files = { certificateFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') }
  await writeFile(files.certificateFile, cert)
  await writeFile(files.keyFile, key)
  return { folder, ...files }
}

test('a certificate and its key are read with names and date', async (t) => {
  const read = await readTlsCertificate(await write(t, tlsCertificate, tlsKey))
  assert.deepEqual(read.names, ['localhost'])
  assert.equal(new Date(read.expires).getUTCFullYear(), 2120)
  assert.equal(read.covers('localhost'), true)
  assert.equal(read.covers('cairn.example.org'), false)
})

test('each error names the setting, the file and what was expected', async (t) => {
  const absent = { certificateFile: '/absent/cert.pem', keyFile: '/absent/key.pem' }
  await assert.rejects(
    readTlsCertificate(absent),
    /^Error: cannot read http\.tls\.certificateFile \/absent\/cert\.pem: there is no such file/,
  )
  await assert.rejects(
    readTlsCertificate(await write(t, 'no certificate', tlsKey)),
    /http\.tls\.certificateFile .*cert\.pem contains no certificate: expected PEM text/,
  )
  await assert.rejects(
    readTlsCertificate(await write(t, tlsCertificate, 'no key')),
    /http\.tls\.keyFile .*key\.pem contains no private key: expected PEM text/,
  )
})

test('a key of another certificate is refused', { skip: missingOpenssl() ?? false }, async (t) => {
  const files = await write(t, tlsCertificate, tlsKey)
  const { keyFile } = makeCertificate(files.folder, 'other')
  await assert.rejects(
    readTlsCertificate({ ...files, keyFile }),
    /http\.tls\.keyFile .*other\.key does not belong to the certificate in .*cert\.pem/,
  )
})
