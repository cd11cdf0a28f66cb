// curl against a started server: several files in one add, Expect: 100-continue, the secret with both APIs.
import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { missingCurl, run } from '../fakes/programs.ts'
import { type Started, startCairn, temporaryFolder } from '../started-server.ts'

const missing = missingCurl()
let cairn: Started
let folder: string

before(async () => {
  cairn = await startCairn()
  folder = await temporaryFolder()
  await writeFile(join(folder, '1.txt'), 'one\n')
  await writeFile(join(folder, '2.txt'), 'two\n')
  await writeFile(join(folder, 'zeros'), new Uint8Array(2_000_000))
})
after(async () => {
  await cairn.stop()
  await rm(folder, { recursive: true, force: true })
})

function curl(...args: readonly string[]): Promise<string> {
  return run(cairn, 'curl', ['-sS', ...args])
}

const filesUser = (): string => `${cairn.apiKey}:${cairn.apiKeySecret}`

test('files of one folder, named with slashes, become a directory', async (t) => {
  if (missing !== null) return t.diagnostic(missing)
  const part = (name: string) => ['-F', `file=@${join(folder, name)};filename=a/${name}`]
  const url = `${cairn.url}/api/v0/add`
  const added = await curl('-u', filesUser(), ...part('1.txt'), ...part('2.txt'), url)
  const names = added.trim().split('\n')
  assert.deepEqual(
    names.map((line) => JSON.parse(line) as unknown),
    [
      { Name: 'a/1.txt', Hash: 'QmUB9Nr7RpqNYQpyh4W9r3RQNttiPQ6BQ9iQLkw9LztJFz', Size: '12' },
      { Name: 'a/2.txt', Hash: 'QmapoNeQhJxjMDWstx27etyxMNLU4MtkDk8BMfyHRao8P8', Size: '12' },
      { Name: 'a', Hash: 'QmeJM3V6rsnEPSjpnVugpGmmWBaq1Cvrk8KusguBTRDNzy', Size: '122' },
    ],
  )
})

test('with Expect: 100-continue, an accepted body of more than 1 MB is sent and a refused one is not', async (t) => {
  if (missing !== null) return t.diagnostic(missing)
  const expectation = ['-H', 'Expect: 100-continue', '-F', `file=@${join(folder, 'zeros')}`]
  const shown = ['-D', '-', '-w', '\n%{size_upload}', `${cairn.url}/api/v0/add`]
  const added = await curl('-u', filesUser(), ...expectation, ...shown)
  assert.match(added, /^HTTP\/1\.1 100 Continue/)
  assert.match(added, /HTTP\/1\.1 200 OK/)
  const refused = await curl('-u', `${cairn.apiKey}:wrong`, ...expectation, ...shown)
  assert.match(refused, /^HTTP\/1\.1 401 Unauthorized/)
  assert.match(refused, /\n0$/)
})

test('a key that requires its secret accepts --user :secret and refuses requests without it', async (t) => {
  if (missing !== null) return t.diagnostic(missing)
  const made = await cairn.cli('keys', 'create', '--secret-required')
  const { apiKey, apiKeySecret } = made as { apiKey: string; apiKeySecret: string }
  const body = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'
  const call = [`${cairn.url}/v3/${apiKey}`, '-H', 'content-type: application/json', '-d', body]
  const open = await curl('--user', `:${apiKeySecret}`, ...call)
  assert.equal(open, '{"jsonrpc":"2.0","id":1,"result":"0x539"}')
  assert.match(await curl(...call), /"reason":"secret_required"/)
})
