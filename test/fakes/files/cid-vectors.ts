// Files with the CIDs that Kubo computes, as entries and options of an import: written by `npm run record`, and the vectors if they
// exist.
import assert from 'node:assert/strict'
import { createCipheriv, createHash, type Cipheriv } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import {
  importProfiles,
  isImportProfileName,
  type ShardEstimate,
} from '../../../src/codec/ipld/import-profile.ts'
import { parseImportOptions } from '../../../src/kubo/params/import-options.ts'
import { parseCommandLine } from '../../../src/kubo/command-line.ts'
import { add } from '../../../src/kubo/commands/files/add.ts'
import type { UploadEntry, ImportOptions } from '../../../src/ipfs/import/upload-entry.ts'
import { piecesOf } from './files-fixture.ts'

type Content =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'hex'; readonly hex: string }
  | { readonly kind: 'repeat'; readonly byte: number; readonly size: number }
  | { readonly kind: 'chacha20'; readonly size: number; readonly seed: string }

type ListedEntry = {
  readonly path: string
  readonly content?: Content | null
  readonly symlink?: string
}

type Numbered = {
  readonly gen: 'numbered'
  readonly root: string
  readonly count: number
  readonly start: number
  readonly namePrefix: string
  readonly contentPrefix: string
  readonly contentSuffix: string
}

type ChachaNames = {
  readonly gen: 'chacha-names'
  readonly root: string
  readonly count: number
  readonly nameLen: number
  readonly lastNameLen: number
  readonly seed: string
  readonly content: string
}

/** A file or folder and the options with which it is added. */
export type CidRecipe = {
  readonly id: string
  readonly type: 'file' | 'dir' | 'symlink' | 'block'
  readonly content?: Content
  readonly entries?: readonly ListedEntry[] | Numbered | ChachaNames
  readonly target?: string
  readonly params: Readonly<Record<string, string>>
  readonly partMode?: string
  readonly partMtime?: string
  readonly server?: Readonly<Record<string, string>>
  readonly heavy?: boolean
}

export type CidVector = CidRecipe & { readonly cid: string; readonly rpcSize: string }

const root = resolve(import.meta.dirname, '../../..')
const vectors = resolve(root, process.env['CAIRN_VECTORS'] ?? '../shared/vectors')
/** The recorded list always exists. */
const lists = [resolve(root, 'test/recorded/files/cids.json'), resolve(vectors, 'cid-vectors.json')]

/** The Cairn settings that correspond to these Kubo settings. Throws if there is none. */
export function serverEnv(server: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(server).map(([name, value]) => {
      if (name === 'Import.UnixFSHAMTDirectorySizeThreshold') {
        return ['CAIRN_FILES_SHARD_BYTES', value.replace(/B$/, '')]
      }
      if (name === 'Import.UnixFSHAMTDirectorySizeEstimation') {
        return ['CAIRN_FILES_SHARD_ESTIMATE', value]
      }
      if (name === 'profile') return ['CAIRN_FILES_IMPORT_PROFILE', value]
      throw new Error(`no setting of Cairn is ${name}`)
    }),
  )
}

export function readCidVectors(): readonly CidVector[] {
  return lists
    .filter((path) => existsSync(path))
    .flatMap((path) => {
      const file = JSON.parse(readFileSync(path, 'utf8')) as { vectors: readonly CidVector[] }
      return file.vectors
    })
}

/** Vectors with more file bytes than this run separately. */
export const heavyBytesMin = 300 * 1024 * 1024

/** File bytes of a vector of one file; 0 for others, which are small. */
export function bytesOfVector({ content }: CidRecipe): number {
  return content !== undefined && 'size' in content ? content.size : 0
}

/** The options of a vector, parsed as in the IPFS API. */
export function vectorOptions({ params, server = {} }: CidVector): ImportOptions {
  const { options } = parseCommandLine(
    { command: add, pathArgument: null },
    new URLSearchParams(params),
  )
  const env = serverEnv(server)
  const profile = env['CAIRN_FILES_IMPORT_PROFILE'] ?? 'unixfs-v0-2015'
  assert.ok(isImportProfileName(profile))
  const imports = parseImportOptions(options, importProfiles[profile])
  const { bytes, estimate } = imports.sharding
  const sharding = {
    ...imports.sharding,
    bytes: Number(env['CAIRN_FILES_SHARD_BYTES'] ?? bytes),
    estimate: (env['CAIRN_FILES_SHARD_ESTIMATE'] ?? estimate) as ShardEstimate,
  }
  return { ...imports, sharding }
}

export function* vectorEntries(vector: CidRecipe): Generator<UploadEntry> {
  if (vector.type === 'symlink') {
    yield { kind: 'symlink', path: 'link', target: vector.target ?? '' }
  } else if (vector.content !== undefined) {
    yield {
      kind: 'file',
      path: 'file',
      content: contentOf(vector.content),
      ...(vector.partMode === undefined ? {} : { mode: Number.parseInt(vector.partMode, 8) }),
      ...(vector.partMtime === undefined
        ? {}
        : { mtime: { seconds: BigInt(vector.partMtime), nanos: 0 } }),
    }
  } else if (vector.entries !== undefined) {
    yield* 'gen' in vector.entries ? generated(vector.entries) : listed(vector.entries)
  }
}

function* listed(entries: readonly ListedEntry[]): Generator<UploadEntry> {
  for (const { path: at, content, symlink } of entries) {
    if (symlink !== undefined) yield { kind: 'symlink', path: at, target: symlink }
    else if (content == null) yield { kind: 'directory', path: at }
    else yield { kind: 'file', path: at, content: contentOf(content) }
  }
}

function* generated(recipe: Numbered | ChachaNames): Generator<UploadEntry> {
  if (recipe.gen === 'numbered') {
    for (let i = recipe.start; i < recipe.start + recipe.count; i += 1) {
      const text = `${recipe.contentPrefix}${i}${recipe.contentSuffix}`
      const at = `${recipe.root}/${recipe.namePrefix}${i}`
      yield { kind: 'file', path: at, content: contentOf({ kind: 'text', text }) }
    }
    return
  }
  const letters = 'abcdefghijklmnopqrstuvwxyz01234567890-_'
  const stream = keystream(recipe.seed).update(Buffer.alloc(1048576))
  let at = 0
  for (let i = 0; i < recipe.count; i += 1) {
    const length = i === recipe.count - 1 ? recipe.lastNameLen : recipe.nameLen
    const name = [...stream.subarray(at, at + length)].map((byte) => letters[byte % 39]).join('')
    at += length
    const content = contentOf({ kind: 'text', text: recipe.content })
    yield { kind: 'file', path: `${recipe.root}/${name}`, content }
  }
}

async function* contentOf(content: Content): AsyncGenerator<Uint8Array> {
  if (content.kind === 'text') yield* piecesOf(Buffer.from(content.text, 'utf8'))
  else if (content.kind === 'hex') yield* piecesOf(Buffer.from(content.hex, 'hex'))
  else {
    const cipher = content.kind === 'chacha20' ? keystream(content.seed) : null
    const fill = content.kind === 'repeat' ? content.byte : 0
    for (let left = content.size; left > 0; left -= 1 << 20) {
      const piece = Buffer.alloc(Math.min(left, 1 << 20), fill)
      yield cipher === null ? piece : cipher.update(piece)
    }
  }
}

function keystream(seed: string): Cipheriv {
  const key = createHash('sha256').update(seed, 'utf8').digest()
  return createCipheriv('chacha20', key, Buffer.alloc(16))
}
