// The files that are added to Kubo to record their CIDs: one recipe per property that determines a CID. The recorded list contains
// the recipe and its result, so only the recorder reads this file.
import type { CidRecipe } from '../fakes/files/cid-vectors.ts'

const text = (value: string) => ({ kind: 'text', text: value }) as const
const repeat = (byte: number, size: number) => ({ kind: 'repeat', byte, size }) as const
const noise = (size: number, seed: string) => ({ kind: 'chacha20', size, seed }) as const
const file = (id: string, content: CidRecipe['content'] & {}, params = {}): CidRecipe => ({
  id,
  type: 'file',
  content,
  params,
})

const kib = 1024
const mib = 1024 * kib
/** Longer than any inlined node, shorter than any chunk. */
const sentence = text('A cairn is a heap of stones that marks a way.\n')

const sizes: readonly CidRecipe[] = [
  file('empty', text('')),
  file('one-byte', text('a')),
  file('sentence', sentence),
  file('not-utf-8', { kind: 'hex', hex: 'ff00fe80' }),
  file('one-chunk', repeat(7, 256 * kib)),
  file('one-chunk-and-a-byte', repeat(7, 256 * kib + 1)),
  file('two-chunks', noise(512 * kib, 'two-chunks')),
  file('last-full-node', noise(174 * 1000, 'full'), { chunker: 'size-1000' }),
  file('two-levels', noise(174 * 1000 + 1, 'full'), { chunker: 'size-1000' }),
  file('three-levels', noise(200_000, 'three-levels'), {
    chunker: 'size-1000',
    'max-file-links': '5',
  }),
  file('wide-node', noise(700 * 1000, 'wide'), { chunker: 'size-1000', 'max-file-links': '1024' }),
  { ...file('heavy', repeat(0, 400 * mib), { 'cid-version': '1' }), heavy: true },
]

const versions: readonly CidRecipe[] = [
  file('v1', sentence, { 'cid-version': '1' }),
  file('v1-empty', text(''), { 'cid-version': '1' }),
  file('v1-two-chunks', noise(512 * kib, 'two-chunks'), { 'cid-version': '1' }),
  file('v1-without-raw-leaves', sentence, { 'cid-version': '1', 'raw-leaves': 'false' }),
  file('v0-raw-leaves', sentence, { 'raw-leaves': 'true' }),
  file('v0-raw-leaves-two-chunks', noise(512 * kib, 'two-chunks'), { 'raw-leaves': 'true' }),
]

const hashes: readonly CidRecipe[] = [
  'sha2-512',
  'sha3-256',
  'sha3-512',
  'keccak-256',
  'blake2b-256',
  'blake2b-512',
  'blake2s-256',
  'blake3',
].map((hash) => file(`hash-${hash}`, noise(300 * kib, hash), { hash }))

const chunkers: readonly CidRecipe[] = [
  'size-1',
  'size-65536',
  'size-1048576',
  'rabin',
  'rabin-16384',
  'rabin-512-1024-4096',
  'buzhash',
].map((chunker) =>
  file(`chunker-${chunker}`, noise(chunker === 'size-1' ? 400 : 3 * mib, chunker), { chunker }),
)

const layouts: readonly CidRecipe[] = [
  file('trickle-small', sentence, { trickle: 'true' }),
  file('trickle-deep', noise(400_000, 'trickle'), {
    trickle: 'true',
    chunker: 'size-500',
    'max-file-links': '4',
  }),
  file('trickle-raw-leaves', noise(3 * mib, 'trickle'), { trickle: 'true', 'raw-leaves': 'true' }),
  file('inline-32-bytes', text('x'.repeat(24)), { inline: 'true', 'raw-leaves': 'true' }),
  file('inline-too-long', text('x'.repeat(33)), { inline: 'true', 'raw-leaves': 'true' }),
  file('inline-node', text('in a node'), { inline: 'true', 'inline-limit': '64' }),
  file('identity', text('the CID holds the bytes'), { hash: 'identity', 'cid-version': '1' }),
]

const metadata: readonly CidRecipe[] = [
  file('mode', sentence, { mode: '0644' }),
  file('mtime', sentence, { mtime: '1700000000' }),
  file('mtime-nanoseconds', sentence, { mtime: '1700000000', 'mtime-nsecs': '123456789' }),
  { ...file('preserved-mode', sentence, { 'preserve-mode': 'true' }), partMode: '0755' },
  {
    ...file('preserved-mtime', sentence, { 'preserve-mtime': 'true' }),
    partMtime: '1600000000',
  },
]

const folder = (
  id: string,
  entries: CidRecipe['entries'] & {},
  params: CidRecipe['params'] = {},
): CidRecipe => ({ id, type: 'dir', entries, params })

const tree = [
  { path: 'way', content: null },
  { path: 'way/first.txt', content: sentence },
  { path: 'way/second', content: null },
  { path: 'way/second/stone', content: repeat(3, 300 * kib) },
  { path: 'way/back', symlink: 'first.txt' },
  { path: 'way/nothing', content: null },
]
const numbered = (count: number, contentSuffix = '') => ({
  gen: 'numbered' as const,
  root: 'stones',
  count,
  start: 1,
  namePrefix: 'stone-',
  contentPrefix: 'stone ',
  contentSuffix,
})
const named = (count: number, lastNameLen: number) => ({
  gen: 'chacha-names' as const,
  root: 'names',
  count,
  nameLen: 200,
  lastNameLen,
  seed: 'names',
  content: 'one content for all',
})

const folders: readonly CidRecipe[] = [
  folder('empty-folder', [{ path: 'nothing', content: null }]),
  folder('empty-folder-v1', [{ path: 'nothing', content: null }], { 'cid-version': '1' }),
  folder('nested-empty-folders', [
    { path: 'a', content: null },
    { path: 'a/b', content: null },
    { path: 'a/b/c', content: null },
  ]),
  folder('tree', tree),
  folder('tree-v1', tree, { 'cid-version': '1' }),
  folder('tree-blake2b', tree, { hash: 'blake2b-256' }),
  folder('tree-without-empty-folders', tree, { 'empty-dirs': 'false' }),
  folder('wrapped', [{ path: 'stone.txt', content: sentence }], { 'wrap-with-directory': 'true' }),
  folder(
    'two-wrapped',
    [
      { path: 'b.txt', content: text('b\n') },
      { path: 'a.txt', content: text('a\n') },
    ],
    { 'wrap-with-directory': 'true' },
  ),
  folder('odd-names', [
    { path: 'odd', content: null },
    { path: 'odd/a+b c%20', content: text('plus\n') },
    { path: 'odd/ÿ', content: text('two bytes\n') },
    { path: 'odd/\u{1f5ff}', content: text('four bytes\n') },
    { path: 'odd/\ufb01', content: text('three bytes\n') },
  ]),
  folder('many-files', numbered(1500)),
  folder('many-files-sharded', numbered(6000)),
  folder('many-files-sharded-v1', numbered(6000), { 'cid-version': '1' }),
  folder('few-links', numbered(40), { 'max-directory-links': '30' }),
  folder('narrow-shards', numbered(200), { 'max-directory-links': '30', 'max-hamt-fanout': '16' }),
  // 1,119 names of 200 bytes and one more: with its CID of 34 bytes each link counts 234.
  folder('names-below-threshold', named(1120, 180)),
  folder('names-above-threshold', named(1121, 200)),
  {
    ...folder('always-sharded', numbered(3)),
    server: { 'Import.UnixFSHAMTDirectorySizeThreshold': '1B' },
  },
  {
    ...folder('estimated-by-block', named(900, 200)),
    server: { 'Import.UnixFSHAMTDirectorySizeEstimation': 'block' },
  },
  { id: 'link', type: 'symlink', target: '../elsewhere', params: {} },
  { id: 'block', type: 'block', content: text('a block\n'), params: {} },
  {
    id: 'block-v0',
    type: 'block',
    content: { kind: 'hex', hex: '0a0408021800' },
    params: { format: 'v0' },
  },
]

/** The same on a server with another profile, therefore without params. */
const profiled: readonly CidRecipe[] = [
  file('profile-2025-sentence', sentence),
  file('profile-2025-file', noise(3 * mib, 'profile')),
  file('profile-2025-two-levels', noise(1025 * 1000, 'profile'), { chunker: 'size-1000' }),
  folder('profile-2025-tree', tree),
  folder('profile-2025-names', named(1100, 200)),
].map((recipe) => ({ ...recipe, server: { profile: 'unixfs-v1-2025' } }))

export const fileRecipes: readonly CidRecipe[] = [
  ...sizes,
  ...versions,
  ...hashes,
  ...chunkers,
  ...layouts,
  ...metadata,
  ...folders,
  ...profiled,
]
