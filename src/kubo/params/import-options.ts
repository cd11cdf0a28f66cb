// Parses the options of `add` as import options: Kubo's checks in Kubo's order, its chunker grammar with its error texts, then a
// refusal, by name, of each unsupported option that would change a CID. No such option is ignored.
// Tested by src/kubo/params/import-options.test.ts
import { Fault } from '../../base/fault.ts'
import type { ImportProfile, Sharding } from '../../codec/ipld/import-profile.ts'
import { hashNames, multihashOf } from '../../codec/ipld/multihash.ts'
import type { ImportOptions } from '../../ipfs/import/upload-entry.ts'
import { type OptionValues, failed, flag, integer, text, valueOf } from '../kubo-command.ts'
import { checkPinName } from './file-options.ts'
import type { Chunker, RabinBounds } from '../../ipfs/import/chunk.ts'

/** The options of `add`. */
const declared = {
  pin: flag('pin', { default: true }),
  pinName: text('pin-name'),
  onlyHash: flag('only-hash', { alias: 'n' }),
  wrapWithDirectory: flag('wrap-with-directory', { alias: 'w' }),
  cidVersion: integer('cid-version', { default: null }),
  rawLeaves: flag('raw-leaves', { default: null }),
  chunker: text('chunker', { alias: 's' }),
  hash: text('hash', { default: 'sha2-256' }),
  trickle: flag('trickle', { alias: 't' }),
  maxFileLinks: integer('max-file-links'),
  maxDirectoryLinks: integer('max-directory-links', { default: null }),
  maxHamtFanout: integer('max-hamt-fanout', { default: null }),
  inline: flag('inline'),
  inlineLimit: integer('inline-limit', { default: 32n }),
  mode: integer('mode', { type: 'uint' }),
  mtime: integer('mtime', { type: 'int64' }),
  mtimeNsecs: integer('mtime-nsecs', { type: 'uint' }),
  preserveMode: flag('preserve-mode'),
  preserveMtime: flag('preserve-mtime'),
  emptyDirs: flag('empty-dirs', { alias: 'E', default: true }),
  progress: flag('progress', { alias: 'p' }),
  silent: flag('silent'),
  toFiles: text('to-files'),
  nocopy: flag('nocopy'),
}
export const importOptions = Object.values(declared)

const nodeBytesMax = 2_097_152
/** Maximum bytes of a link in a file node without its multihash, its block size included. */
const linkBytes = 34

/**
 * `profile`: values of options that are not set. Throws `command_failed` with Kubo's texts, `unsupported_option` for options that
 * Cairn does not support.
 */
export function parseImportOptions(options: OptionValues, profile: ImportProfile): ImportOptions {
  const inlineLimit = valueOf(options, declared.inlineLimit)
  if (inlineLimit > 128n) {
    throw failed(`inline-limit ${inlineLimit} exceeds maximum allowed size of 128 bytes`)
  }
  const pinName = valueOf(options, declared.pinName)
  checkPinName(pinName)
  const metadata = parseMetadata(options)
  const { onlyHash, wrap, pin } = parseStorage(options, pinName)
  const hash = parseHash(options)
  checkMtime(options)
  const cidVersion = parseCidVersion(options, hash, profile)
  const chunker = parseChunker(valueOf(options, declared.chunker) || `size-${profile.chunkBytes}`)
  const sharding = parseSharding(options, profile)

  refuseUnbuilt(options, hash, inlineLimit)
  return {
    cidVersion,
    rawLeaves: metadata.present
      ? false
      : (valueOf(options, declared.rawLeaves) ?? (cidVersion === 1 || profile.rawLeaves)),
    chunker,
    layout: valueOf(options, declared.trickle) ? 'trickle' : 'balanced',
    hash,
    maxFileLinks: parseFileLinks(options, hash, profile),
    sharding,
    inline: valueOf(options, declared.inline),
    inlineLimit: Number(inlineLimit),
    onlyHash,
    wrap,
    emptyDirs: valueOf(options, declared.emptyDirs),
    silent: valueOf(options, declared.silent),
    progress: valueOf(options, declared.progress),
    pin,
    pinName,
    ...metadata.values,
  }
}

function parseMetadata(options: OptionValues) {
  const mode = Number(valueOf(options, declared.mode)) & 0o777
  const seconds = valueOf(options, declared.mtime)
  const nanos = Number(valueOf(options, declared.mtimeNsecs))
  const preserveMode = valueOf(options, declared.preserveMode)
  const preserveMtime = valueOf(options, declared.preserveMtime)
  const present = preserveMode || preserveMtime || mode !== 0 || seconds !== 0n
  if (present && valueOf(options, declared.rawLeaves)) {
    throw failed("raw-leaves can't be used with UnixFS metadata like mode or modification time")
  }
  const values = {
    preserveMode,
    preserveMtime,
    ...(mode === 0 ? {} : { mode }),
    ...(seconds === 0n ? {} : { mtime: { seconds, nanos } }),
  }
  return { present, values }
}

function parseStorage(options: OptionValues, pinName: string) {
  const onlyHash = valueOf(options, declared.onlyHash)
  const wrap = valueOf(options, declared.wrapWithDirectory)
  const toFiles = options.has('to-files')
  if (onlyHash && toFiles) throw failed('only-hash and to-files options are not compatible')
  const pin = valueOf(options, declared.pin) && !onlyHash
  if (pinName !== '' && !pin) throw failed('pin-name option requires pin to be set')
  if (wrap && toFiles) throw failed('wrap-with-directory and to-files options are not compatible')
  return { onlyHash, wrap, pin }
}

function parseHash(options: OptionValues): string {
  const requested = valueOf(options, declared.hash)
  const hash = requested.toLowerCase()
  if (!isMultihashName(hash))
    throw failed(`unrecognized hash function: ${JSON.stringify(requested)}`)
  return hash
}

function checkMtime(options: OptionValues): void {
  const nanos = valueOf(options, declared.mtimeNsecs)
  if (nanos === 0n) return
  if (valueOf(options, declared.mtime) === 0n) {
    throw failed('option "mtime-nsecs" requires "mtime" to be provided as well')
  }
  if (nanos > 999_999_999n) {
    throw failed('mtime nanoseconds must be in range [1, 999999999]')
  }
}

function parseCidVersion(options: OptionValues, hash: string, profile: ImportProfile): 0 | 1 {
  const requested = valueOf(options, declared.cidVersion)
  const plain = hash === 'sha2-256'
  if (requested === 0n && !plain) throw failed('CIDv0 only supports sha2-256')
  if (requested !== null && requested !== 0n && requested !== 1n) {
    throw failed(`unknown CID version: ${requested}`)
  }
  if (!plain || requested === 1n) return 1
  return requested === 0n ? 0 : profile.cidVersion
}

function parseSharding(options: OptionValues, { sharding }: ImportProfile): Sharding {
  const fanout = Number(valueOf(options, declared.maxHamtFanout) ?? BigInt(sharding.fanout))
  const powerOfTwo = fanout > 0 && Number.isInteger(Math.log2(fanout))
  if (!powerOfTwo || fanout < 8 || fanout > 1024) {
    throw failed(`HAMT fanout must be a power of 2, between 8 and 1024 (got ${fanout})`)
  }
  const linksMax = Number(valueOf(options, declared.maxDirectoryLinks) ?? BigInt(sharding.linksMax))
  return { ...sharding, fanout, linksMax: Math.max(0, linksMax) }
}

function parseFileLinks(options: OptionValues, hash: string, profile: ImportProfile): number {
  const requested = Number(valueOf(options, declared.maxFileLinks))
  if (requested <= 0) return profile.maxFileLinks
  // With one link per node Kubo never terminates; too many links would make blocks that peers cannot exchange.
  const sample = new Uint8Array(hash === 'identity' ? 128 : 0)
  const each = multihashOf(hash, sample).length + linkBytes
  const most = Math.floor(nodeBytesMax / each)
  if (requested < 2 || requested > most) {
    throw refusedValue('max-file-links', String(requested), `2 to ${most}`)
  }
  return requested
}

function refuseUnbuilt(options: OptionValues, hash: string, inlineLimit: bigint): void {
  if (valueOf(options, declared.nocopy)) throw refusedOption('nocopy')
  if (!hashNames.has(hash)) throw failed('potentially insecure hash functions not allowed')
  if (inlineLimit < 0n) throw refusedValue('inline-limit', String(inlineLimit), '0 to 128')
}

/** Names of the multihash table that Kubo accepts, whether Cairn supports them or not. */
function isMultihashName(name: string): boolean {
  if (/^blake2[bs]-\d+$/.test(name)) {
    const bits = Number(name.slice(8))
    return bits > 0 && bits % 8 === 0 && bits <= (name.startsWith('blake2b') ? 512 : 256)
  }
  return /^(?:identity|md5|sha1|sha2-(?:256|512|256-trunc254-padded)|dbl-sha2-256|sha3|(?:sha3|keccak)-(?:224|256|384|512)|shake-(?:128|256)|blake3|murmur3-x64-64|x11|poseidon-bls12_381-a2-fc1)$/.test(
    name,
  )
}

function refusedOption(name: string): Fault {
  return new Fault('unsupported_option', {
    detail: `option "${name}" is not supported by this server`,
  })
}

function refusedValue(name: string, value: string, expected: string): Fault {
  return new Fault('unsupported_option', {
    detail: `value ${JSON.stringify(value)} of option "${name}" is not supported by this server: expected ${expected}`,
  })
}

const chunkBytesMax = 2_096_896
/** Default chunk size of Kubo's chunkers without parameters, whatever the profile. */
const defaultChunkBytes = 262_144
/** The window of the fingerprint, which is the minimum chunk size. */
const windowBytes = 16

/** Throws `command_failed` with Kubo's text. */
export function parseChunker(text: string): Chunker {
  if (text === '' || text === 'default') return { kind: 'size', bytes: defaultChunkBytes }
  if (text.startsWith('size-')) {
    const size = number(text.slice('size-'.length))
    if (size <= 0) throw failed('chunker size must be greater than 0')
    return { kind: 'size', bytes: within(size) }
  }
  if (text.startsWith('rabin')) return { kind: 'rabin', ...parseRabin(text) }
  if (text.startsWith('buzhash')) return { kind: 'buzhash' }
  throw failed(`unrecognized chunker option: ${text}`)
}

function parseRabin(text: string): RabinBounds {
  const parts = text.split('-')
  if (parts.length === 1) return boundsAround(defaultChunkBytes)
  if (parts.length === 2) return boundsAround(number(parts[1] as string))
  if (parts.length !== 4) {
    throw failed("incorrect format (expected 'rabin' 'rabin-[avg]' or 'rabin-[min]-[avg]-[max]'")
  }
  const min = labelled(parts[1] as string, 'min', 'first label must be min')
  if (min < windowBytes) throw failed('rabin min must be greater than 16')
  const average = labelled(parts[2] as string, 'avg', 'second label must be avg')
  const max = labelled(parts[3] as string, 'max', 'final label must be max')
  if (min >= average) throw failed('incorrect format: rabin-min must be smaller than rabin-avg')
  if (average >= max) throw failed('incorrect format: rabin-avg must be smaller than rabin-max')
  return { min, average, max: within(max) }
}

function boundsAround(average: number): RabinBounds {
  const max = within(average + Math.floor(average / 2))
  const min = Math.floor(average / 3)
  // Kubo accepts these, and then cuts at boundaries that depend on its integer overflow.
  if (min < windowBytes) {
    throw refusedValue('chunker', `rabin-${average}`, `an average of at least ${3 * windowBytes}`)
  }
  return { min, average, max }
}

function labelled(text: string, label: string, complaint: string): number {
  const colon = text.indexOf(':')
  if (colon < 0) return number(text)
  if (text.slice(0, colon) !== label) throw failed(complaint)
  return number(text.slice(colon + 1))
}

function number(text: string): number {
  if (!/^[+-]?\d+$/.test(text)) {
    throw failed(`strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`)
  }
  return Number(text)
}

function within(bytes: number): number {
  if (bytes > chunkBytesMax) {
    throw failed(`chunker parameters may not exceed the maximum chunk size of ${chunkBytesMax}`)
  }
  return bytes
}
