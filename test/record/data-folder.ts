// Records the data folder of an earlier Cairn, created by its own program, with a key, a person, files, pins and a transaction.
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sendTransfer } from '../browser/send-transfer.ts'
import { firstPerson, openAdminClient } from '../fakes/people/admin-client.ts'
import { filesClient } from '../fakes/files/files-client.ts'
import { type Started, startCairn, temporaryFolder } from '../started-server.ts'

/** What the folder contains. */
export type FolderContents = {
  readonly version: string
  readonly apiKey: string
  readonly apiKeySecret: string
  readonly person: { readonly email: string; readonly password: string }
  readonly file: { readonly cid: string; readonly bytes: number }
  readonly folder: { readonly cid: string; readonly names: readonly string[] }
  readonly transaction: string
  readonly slot: { readonly address: string; readonly position: string; readonly value: string }
}

/** Returns the byte at a position: no block repeats, so that the file has several different blocks. */
export function fileBytes(length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, at) => (at * at * 31 + (at >> 8)) & 0xff)
}

const bytes = 300_000
const names = ['a.txt', 'b.txt', 'c.txt']

/** `checkout`: a checkout of the version, with its dependencies. Writes below `recorded`; returns the version. */
export async function recordDataFolder(checkout: string, recorded: string): Promise<string> {
  const { version } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as {
    version: string
  }
  const dataDir = await temporaryFolder()
  const server = await startCairn({ dataDir, program: join(checkout, 'bin/cairn.js') })
  try {
    const contents: FolderContents = { version, ...(await fill(server)) }
    await server.stop()
    const target = join(recorded, `data-${version}`)
    mkdirSync(target, { recursive: true })
    const pack = ['--sort=name', '--numeric-owner', '-C', dataDir, '-czf']
    await promisify(execFile)('tar', [...pack, join(target, 'folder.tar.gz'), '.'])
    writeFileSync(join(target, 'contents.json'), `${JSON.stringify(contents, null, 2)}\n`)
    return version
  } finally {
    await server.kill()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

async function fill(server: Started): Promise<Omit<FolderContents, 'version'>> {
  const files = filesClient(server)
  const cid = await files.add(fileBytes(bytes))
  const form = new FormData()
  for (const name of names) form.append('file', new Blob([`${name}\n`]), `folder/${name}`)
  const added = await (await files.post('add', form)).text()
  const { Hash: folder } = JSON.parse(added.trim().split('\n').at(-1) ?? '') as { Hash: string }
  const transaction = await sendTransfer(server)
  const link = new URL(server.firstRunLink ?? '').hash.slice(1)
  const { status } = await openAdminClient(server.url).ask('POST', '/welcome', {
    link,
    ...firstPerson,
  })
  if (status !== 200) throw new Error(`the first-run link did not open: status ${status}`)
  const { email, password } = firstPerson
  const address = '0x295a70b2de5e3953354a6a8344e616ed314d7251'
  const { result } = await server.rpc('eth_getStorageAt', [address, '0x0', 'latest'])
  return {
    apiKey: server.apiKey,
    apiKeySecret: server.apiKeySecret,
    person: { email, password },
    file: { cid, bytes },
    folder: { cid: folder, names },
    transaction,
    slot: { address, position: '0x0', value: String(result) },
  }
}
