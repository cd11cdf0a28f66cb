// The media type of a file by its name, otherwise by its first bytes. A short table of types that browsers display and people
// publish; other files are text if they decode as text, otherwise bytes.
// Tested by src/ipfs-gateway/content-type.test.ts
import { isJsonText } from '../base/json-prefix.ts'

/** Number of bytes that are examined. */
export const sniffedBytes = 512

const utf8 = '; charset=utf-8'
const byExtension: ReadonlyMap<string, string> = new Map([
  ['html', `text/html${utf8}`],
  ['htm', `text/html${utf8}`],
  ['xhtml', 'application/xhtml+xml'],
  ['css', `text/css${utf8}`],
  ['js', `text/javascript${utf8}`],
  ['mjs', `text/javascript${utf8}`],
  ['json', 'application/json'],
  ['jsonld', 'application/ld+json'],
  ['map', 'application/json'],
  ['webmanifest', 'application/manifest+json'],
  ['xml', 'text/xml'],
  ['rss', 'application/rss+xml'],
  ['atom', 'application/atom+xml'],
  ['txt', `text/plain${utf8}`],
  ['log', `text/plain${utf8}`],
  ['md', `text/markdown${utf8}`],
  ['csv', `text/csv${utf8}`],
  ['ts', `text/plain${utf8}`],
  ['sol', `text/plain${utf8}`],
  ['yaml', 'application/yaml'],
  ['yml', 'application/yaml'],
  ['toml', 'application/toml'],
  ['png', 'image/png'],
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['gif', 'image/gif'],
  ['webp', 'image/webp'],
  ['avif', 'image/avif'],
  ['bmp', 'image/bmp'],
  ['ico', 'image/vnd.microsoft.icon'],
  ['svg', 'image/svg+xml'],
  ['tif', 'image/tiff'],
  ['tiff', 'image/tiff'],
  ['mp3', 'audio/mpeg'],
  ['m4a', 'audio/mp4'],
  ['aac', 'audio/aac'],
  ['flac', 'audio/flac'],
  ['wav', 'audio/wav'],
  ['ogg', 'audio/ogg'],
  ['opus', 'audio/ogg'],
  ['mp4', 'video/mp4'],
  ['m4v', 'video/mp4'],
  ['webm', 'video/webm'],
  ['ogv', 'video/ogg'],
  ['mov', 'video/quicktime'],
  ['mkv', 'video/x-matroska'],
  ['woff', 'font/woff'],
  ['woff2', 'font/woff2'],
  ['ttf', 'font/ttf'],
  ['otf', 'font/otf'],
  ['glb', 'model/gltf-binary'],
  ['gltf', 'model/gltf+json'],
  ['pdf', 'application/pdf'],
  ['epub', 'application/epub+zip'],
  ['zip', 'application/zip'],
  ['gz', 'application/gzip'],
  ['tgz', 'application/gzip'],
  ['bz2', 'application/x-bzip2'],
  ['xz', 'application/x-xz'],
  ['zst', 'application/zstd'],
  ['7z', 'application/x-7z-compressed'],
  ['tar', 'application/x-tar'],
  ['car', 'application/vnd.ipld.car'],
  ['wasm', 'application/wasm'],
])

/** The bytes that a file of each type begins with, in latin1, after `skip` bytes. */
const beginnings: readonly {
  readonly type: string
  readonly begins: string
  readonly skip?: number
}[] = [
  { type: 'image/png', begins: '\x89PNG\r\n\x1a\n' },
  { type: 'image/jpeg', begins: '\xff\xd8\xff' },
  { type: 'image/gif', begins: 'GIF8' },
  { type: 'image/webp', begins: 'WEBPVP', skip: 8 },
  { type: 'image/avif', begins: 'ftypavif', skip: 4 },
  { type: 'image/bmp', begins: 'BM' },
  { type: 'audio/wav', begins: 'WAVE', skip: 8 },
  { type: 'audio/mpeg', begins: 'ID3' },
  { type: 'audio/flac', begins: 'fLaC' },
  { type: 'audio/ogg', begins: 'OggS\0' },
  { type: 'video/mp4', begins: 'ftyp', skip: 4 },
  { type: 'video/webm', begins: '\x1aE\xdf\xa3' },
  { type: 'font/woff2', begins: 'wOF2' },
  { type: 'font/woff', begins: 'wOFF' },
  { type: 'application/pdf', begins: '%PDF-' },
  { type: 'application/zip', begins: 'PK\x03\x04' },
  { type: 'application/gzip', begins: '\x1f\x8b\x08' },
  { type: 'application/zstd', begins: '(\xb5/\xfd' },
  { type: 'application/wasm', begins: '\0asm' },
]

/** By the file extension of `name`; null: no extension, or an unknown one. */
export function typeOfName(name: string): string | null {
  const extension = /\.([A-Za-z0-9]{1,16})$/.exec(name)?.[1]?.toLowerCase() ?? ''
  return byExtension.get(extension) ?? null
}

/** `start`: the first 512 bytes of the file, or all bytes of a smaller one; `isComplete`: `start` is the whole file. */
export function typeOfBytes(start: Uint8Array, isComplete: boolean): string {
  const text = Buffer.from(start.buffer, start.byteOffset, start.length).toString('latin1')
  const signature = beginnings.find(({ begins, skip = 0 }) => text.startsWith(begins, skip))
  if (signature !== undefined) return signature.type
  if (!isText(start)) return 'application/octet-stream'
  if (/^\s*(?:<!doctype html|<html|<head|<body)[\s>]/i.test(text)) return `text/html${utf8}`
  if (/^\s*(?:<\?xml[^>]*>\s*)?(?:<!--[^]*?-->\s*)?<svg[\s>]/i.test(text)) return 'image/svg+xml'
  if (/^\s*<\?xml\s/i.test(text)) return 'text/xml'
  if (isJsonText(text, isComplete)) return 'application/json'
  return `text/plain${utf8}`
}

/** UTF-8 without control characters except whitespace; the last character may be cut. */
function isText(bytes: Uint8Array): boolean {
  if (bytes.some((byte) => byte < 0x20 && ![0x09, 0x0a, 0x0c, 0x0d, 0x1b].includes(byte))) {
    return false
  }
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
    return true
  } catch {
    return false
  }
}

/** Types that a browser executes or renders, so that they could imitate a page of this server. */
export function isActive(type: string): boolean {
  const [plain = ''] = type.split(';')
  return (
    plain === 'text/html' ||
    plain === 'application/pdf' ||
    plain === 'text/xml' ||
    plain.endsWith('+xml') ||
    plain === 'application/xml'
  )
}

/** Types that a browser shows in a built-in viewer, without executing scripts of the content in an origin. */
export function isViewed(type: string): boolean {
  return type === 'application/pdf' || type.startsWith('video/') || type.startsWith('audio/')
}

/** Replacement types for scripts and styles, which another page of the same origin could include. */
const inert: ReadonlyMap<string, string> = new Map([
  ['text/javascript', `text/plain${utf8}`],
  ['text/css', `text/plain${utf8}`],
  ['application/wasm', 'application/octet-stream'],
])

/** A type under which the bytes cannot become part of a page, provided that browsers do not sniff types. */
export function inertType(type: string): string {
  const [plain = ''] = type.split(';')
  return inert.get(plain) ?? type
}
