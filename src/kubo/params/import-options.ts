// The options of `add` as import options: Kubo's checks in Kubo's order, then a refusal by
// name of what would change a CID and is not built. Nothing that matters is ignored.
import { Fault } from '../../base/fault.ts'
import type { ImportProfile, Sharding } from '../../codec/ipld/import-profile.ts'
import { hashNames, multihashOf } from '../../codec/ipld/multihash.ts'
import type { ImportOptions } from '../../ipfs/import/upload-entry.ts'
import { flag, integer, type OptionValues, text, valueOf } from '../command-options.ts'
import { parseChunker } from './chunker.ts'
import { checkPinName } from './file-options.ts'

/** The options of `add`. */
const takes = {
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
export const importOptions = Object.values(takes)

const nodeBytesMax = 2_097_152
/** What a link may take in a file node beside its multihash, its block size included. */
const linkBytes = 34

/**
 * `profile`: what holds where the options say nothing. Throws `command_failed` with Kubo's texts,
 * `unsupported_option` for what is not built.
 */
export function parseImportOptions(options: OptionValues, profile: ImportProfile): ImportOptions {
  const inlineLimit = valueOf(options, takes.inlineLimit)
  if (inlineLimit > 128n) {
    throw failed(`inline-limit ${inlineLimit} exceeds maximum allowed size of 128 bytes`)
  }
  const pinName = valueOf(options, takes.pinName)
  checkPinName(pinName)
  const metadata = parseMetadata(options)
  const { onlyHash, wrap, pin } = parseKeeping(options, pinName)
  const hash = parseHash(options)
  checkMtime(options)
  const cidVersion = parseCidVersion(options, hash, profile)
  const chunker = parseChunker(valueOf(options, takes.chunker) || `size-${profile.chunkBytes}`)
  const sharding = parseSharding(options, profile)

  refuseUnbuilt(options, hash, inlineLimit)
  return {
    cidVersion,
    rawLeaves: metadata.present
      ? false
      : (valueOf(options, takes.rawLeaves) ?? (cidVersion === 1 || profile.rawLeaves)),
    chunker,
    layout: valueOf(options, takes.trickle) ? 'trickle' : 'balanced',
    hash,
    maxFileLinks: parseFileLinks(options, hash, profile),
    sharding,
    inline: valueOf(options, takes.inline),
    inlineLimit: Number(inlineLimit),
    onlyHash,
    wrap,
    emptyDirs: valueOf(options, takes.emptyDirs),
    silent: valueOf(options, takes.silent),
    progress: valueOf(options, takes.progress),
    pin,
    pinName,
    ...metadata.values,
  }
}

function parseMetadata(options: OptionValues) {
  const mode = Number(valueOf(options, takes.mode)) & 0o777
  const seconds = valueOf(options, takes.mtime)
  const nanos = Number(valueOf(options, takes.mtimeNsecs))
  const preserveMode = valueOf(options, takes.preserveMode)
  const preserveMtime = valueOf(options, takes.preserveMtime)
  const present = preserveMode || preserveMtime || mode !== 0 || seconds !== 0n
  if (present && valueOf(options, takes.rawLeaves)) {
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

function parseKeeping(options: OptionValues, pinName: string) {
  const onlyHash = valueOf(options, takes.onlyHash)
  const wrap = valueOf(options, takes.wrapWithDirectory)
  const toFiles = options.has('to-files')
  if (onlyHash && toFiles) throw failed('only-hash and to-files options are not compatible')
  const pin = valueOf(options, takes.pin) && !onlyHash
  if (pinName !== '' && !pin) throw failed('pin-name option requires pin to be set')
  if (wrap && toFiles) throw failed('wrap-with-directory and to-files options are not compatible')
  return { onlyHash, wrap, pin }
}

function parseHash(options: OptionValues): string {
  const asked = valueOf(options, takes.hash)
  const hash = asked.toLowerCase()
  if (!isMultihashName(hash)) throw failed(`unrecognized hash function: ${JSON.stringify(asked)}`)
  return hash
}

function checkMtime(options: OptionValues): void {
  const nanos = valueOf(options, takes.mtimeNsecs)
  if (nanos === 0n) return
  if (valueOf(options, takes.mtime) === 0n) {
    throw failed('option "mtime-nsecs" requires "mtime" to be provided as well')
  }
  if (nanos > 999_999_999n) {
    throw failed('mtime nanoseconds must be in range [1, 999999999]')
  }
}

function parseCidVersion(options: OptionValues, hash: string, profile: ImportProfile): 0 | 1 {
  const asked = valueOf(options, takes.cidVersion)
  const plain = hash === 'sha2-256'
  if (asked === 0n && !plain) throw failed('CIDv0 only supports sha2-256')
  if (asked !== null && asked !== 0n && asked !== 1n) {
    throw failed(`unknown CID version: ${asked}`)
  }
  if (!plain || asked === 1n) return 1
  return asked === 0n ? 0 : profile.cidVersion
}

function parseSharding(options: OptionValues, { sharding }: ImportProfile): Sharding {
  const fanout = Number(valueOf(options, takes.maxHamtFanout) ?? BigInt(sharding.fanout))
  const powerOfTwo = fanout > 0 && Number.isInteger(Math.log2(fanout))
  if (!powerOfTwo || fanout < 8 || fanout > 1024) {
    throw failed(`HAMT fanout must be a power of 2, between 8 and 1024 (got ${fanout})`)
  }
  const linksMax = Number(valueOf(options, takes.maxDirectoryLinks) ?? BigInt(sharding.linksMax))
  return { ...sharding, fanout, linksMax: Math.max(0, linksMax) }
}

function parseFileLinks(options: OptionValues, hash: string, profile: ImportProfile): number {
  const asked = Number(valueOf(options, takes.maxFileLinks))
  if (asked <= 0) return profile.maxFileLinks
  // One link a node never ends in Kubo; too many would make blocks that peers cannot exchange.
  const sample = new Uint8Array(hash === 'identity' ? 128 : 0)
  const each = multihashOf(hash, sample).length + linkBytes
  if (asked < 2 || asked * each > nodeBytesMax) {
    throw refusedValue('max-file-links', String(asked))
  }
  return asked
}

function refuseUnbuilt(options: OptionValues, hash: string, inlineLimit: bigint): void {
  if (options.has('to-files')) throw refusedOption('to-files')
  if (valueOf(options, takes.nocopy)) throw refusedOption('nocopy')
  if (!hashNames.has(hash)) throw failed('potentially insecure hash functions not allowed')
  if (inlineLimit < 0n) throw refusedValue('inline-limit', String(inlineLimit))
}

/** Names of the multihash table that Kubo accepts, supported here or not. */
function isMultihashName(name: string): boolean {
  if (/^blake2[bs]-\d+$/.test(name)) {
    const bits = Number(name.slice(8))
    return bits > 0 && bits % 8 === 0 && bits <= (name.startsWith('blake2b') ? 512 : 256)
  }
  return /^(?:identity|md5|sha1|sha2-(?:256|512|256-trunc254-padded)|dbl-sha2-256|sha3|(?:sha3|keccak)-(?:224|256|384|512)|shake-(?:128|256)|blake3|murmur3-x64-64|x11|poseidon-bls12_381-a2-fc1)$/.test(
    name,
  )
}

function failed(detail: string): Fault {
  return new Fault('command_failed', { detail })
}

function refusedOption(name: string): Fault {
  return new Fault('unsupported_option', {
    detail: `option "${name}" is not supported by this server`,
  })
}

function refusedValue(name: string, value: string): Fault {
  return new Fault('unsupported_option', {
    detail: `value ${JSON.stringify(value)} of option "${name}" is not supported by this server`,
  })
}
