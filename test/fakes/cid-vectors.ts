// The CID vectors as entries and options of an import. Recipe format: the vectors' own comment.
import { createCipheriv, createHash, type Cipheriv } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseChunker } from '../../src/gateway/params/chunker.ts'
import type { Entry, ImportOptions } from '../../src/ipfs/entry.ts'
import { importDefaults, piecesOf } from './files-fixture.ts'

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

export type CidVector = {
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
  readonly cid: string
  readonly rpcSize: string
}

const path = resolve(
  import.meta.dirname,
  '../..',
  process.env['CAIRN_VECTORS'] ?? '../shared/vectors',
  'cid-vectors.json',
)

/** Why tests on the vectors are skipped, or false. */
export const missingCidVectors: string | false = existsSync(path)
  ? false
  : 'cid-vectors.json is not there: set CAIRN_VECTORS'

const blake = 'blake2b-256 is not built'
const server = 'needs a server setting that is not built'

/** Vectors that no option of ours covers, by id, each with the reason. */
export const pendingVectors: ReadonlyMap<string, string> = new Map([
  ['venus-blake2b', blake],
  ['planets-blake2b', blake],
  ['2000-files-sharded-1B-v1', server],
  ['hamt-v1-2025-over-threshold', server],
])

export function readCidVectors(): readonly CidVector[] {
  if (missingCidVectors !== false) return []
  const file = JSON.parse(readFileSync(path, 'utf8')) as { vectors: readonly CidVector[] }
  return file.vectors
}

/** The options of a vector, by the rules of the file face; null when a parameter is not one of ours. */
export function vectorOptions(vector: CidVector): ImportOptions | null {
  const { params } = vector
  const known = [
    'cid-version',
    'raw-leaves',
    'chunker',
    'max-file-links',
    'hash',
    'inline',
    'mode',
    'mtime',
    'mtime-nsecs',
    'preserve-mode',
    'preserve-mtime',
    'wrap-with-directory',
    'trickle',
  ]
  if (Object.keys(params).some((name) => !known.includes(name))) return null
  const hash = params['hash'] ?? 'sha2-256'
  if (hash !== 'sha2-256' && hash !== 'sha2-512' && hash !== 'identity') return null
  const cidVersion = params['cid-version'] === '1' || hash !== 'sha2-256' ? 1 : 0
  return {
    ...importDefaults,
    hash,
    cidVersion,
    rawLeaves:
      params['raw-leaves'] === undefined ? cidVersion === 1 : params['raw-leaves'] === 'true',
    chunker: parseChunker(params['chunker'] ?? ''),
    layout: params['trickle'] === 'true' ? 'trickle' : 'balanced',
    maxFileLinks: Number(params['max-file-links'] ?? 174),
    inline: params['inline'] === 'true',
    wrap: params['wrap-with-directory'] === 'true',
    preserveMode: params['preserve-mode'] === 'true',
    preserveMtime: params['preserve-mtime'] === 'true',
    ...(params['mode'] === undefined ? {} : { mode: Number.parseInt(params['mode'], 8) }),
    ...(params['mtime'] === undefined
      ? {}
      : {
          mtime: { seconds: BigInt(params['mtime']), nanos: Number(params['mtime-nsecs'] ?? 0) },
        }),
  }
}

export function* vectorEntries(vector: CidVector): Generator<Entry> {
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

function* listed(entries: readonly ListedEntry[]): Generator<Entry> {
  for (const { path: at, content, symlink } of entries) {
    if (symlink !== undefined) yield { kind: 'symlink', path: at, target: symlink }
    else if (content == null) yield { kind: 'directory', path: at }
    else yield { kind: 'file', path: at, content: contentOf(content) }
  }
}

function* generated(recipe: Numbered | ChachaNames): Generator<Entry> {
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
