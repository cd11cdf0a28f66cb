// Detects the type of content from its first bytes, or from its name if the bytes are not conclusive. Pure.
// Tested by dashboard/files/content-kind.test.ts

/** `type`: the media type with which the browser shows the bytes, regardless of other interpretations. */
export type ShownKind = {
  readonly kind: 'image' | 'video' | 'audio' | 'pdf'
  readonly type: string
  readonly title: string
}

export type ContentKind =
  | ShownKind
  | { readonly kind: 'text'; readonly title: string }
  | { readonly kind: 'other'; readonly title: string }

type Form = readonly [begins: string, kind: ShownKind['kind'], type: string, title: string]

/** Signatures in latin1. */
const forms: readonly Form[] = [
  ['\x89PNG\r\n\x1a\n', 'image', 'image/png', 'PNG image'],
  ['\xff\xd8\xff', 'image', 'image/jpeg', 'JPEG image'],
  ['GIF8', 'image', 'image/gif', 'GIF image'],
  ['\x1a\x45\xdf\xa3', 'video', 'video/webm', 'Video'],
  ['OggS', 'audio', 'audio/ogg', 'Ogg audio'],
  ['fLaC', 'audio', 'audio/flac', 'FLAC audio'],
  ['ID3', 'audio', 'audio/mpeg', 'MP3 audio'],
  ['\xff\xfb', 'audio', 'audio/mpeg', 'MP3 audio'],
  ['%PDF-', 'pdf', 'application/pdf', 'PDF document'],
]
/** By the text after the length of the chunk. */
const riffForms: readonly Form[] = [
  ['WEBP', 'image', 'image/webp', 'WebP image'],
  ['WAVE', 'audio', 'audio/wav', 'WAV audio'],
]
/** By the brand of an ISO media file. */
const brandForms: readonly Form[] = [
  ['avif', 'image', 'image/avif', 'AVIF image'],
  ['M4A', 'audio', 'audio/mp4', 'MPEG-4 audio'],
  ['qt', 'video', 'video/quicktime', 'QuickTime video'],
  ['', 'video', 'video/mp4', 'MPEG-4 video'],
]
const archives: readonly (readonly [begins: string, title: string])[] = [
  ['PK\x03\x04', 'ZIP archive'],
  ['\x1f\x8b', 'gzip archive'],
]

export function kindOf(bytes: Uint8Array, name: string): ContentKind {
  const start = latin(bytes.subarray(0, 16))
  const [inForms, at] = start.startsWith('RIFF')
    ? [riffForms, 8]
    : start.startsWith('ftyp', 4)
      ? [brandForms, 8]
      : [forms, 0]
  const form = inForms.find(([begins]) => start.startsWith(begins, at))
  if (form !== undefined) return { kind: form[1], type: form[2], title: form[3] }
  const archive = archives.find(([begins]) => start.startsWith(begins))
  if (archive !== undefined) return { kind: 'other', title: archive[1] }
  const text = textOf(bytes)
  if (text === null) return { kind: 'other', title: titleOf(name) ?? 'Data' }
  // In an `img`, a browser renders SVG without its scripts.
  if (/^\s*(<\?xml[^>]*>\s*)?<svg[\s>]/.test(text)) {
    return { kind: 'image', type: 'image/svg+xml', title: 'SVG image' }
  }
  return { kind: 'text', title: /^\s*[[{]/.test(text) ? 'JSON' : (titleOf(name) ?? 'Text') }
}

/** Null: not UTF-8, or contains control characters. The last character may be incomplete. */
export function textOf(bytes: Uint8Array): string | null {
  for (const cut of [0, 1, 2, 3]) {
    try {
      const text = new TextDecoder('utf-8', { fatal: true }).decode(
        bytes.subarray(0, Math.max(0, bytes.length - cut)),
      )
      // oxlint-disable-next-line no-control-regex -- Control characters other than tab, line feed and return are not text.
      return /[\u0000-\u0008\u000e-\u001a]/.test(text) ? null : text
    } catch {
      continue
    }
  }
  return null
}

const titles: Readonly<Record<string, string>> = {
  car: 'CAR archive',
  html: 'Web page',
  json: 'JSON',
  md: 'Markdown',
  mp4: 'Video',
  webm: 'Video',
  mov: 'Video',
  mkv: 'Video',
  m4v: 'Video',
  mp3: 'Audio',
  pdf: 'PDF document',
  png: 'Image',
  jpg: 'Image',
  jpeg: 'Image',
  gif: 'Image',
  webp: 'Image',
  svg: 'Image',
  avif: 'Image',
  txt: 'Text',
  zip: 'ZIP archive',
}

/** By the extension of the name; null: unknown. */
export function titleOf(name: string): string | null {
  return titles[/\.([a-z0-9]{1,5})$/i.exec(name)?.[1]?.toLowerCase() ?? ''] ?? null
}

function latin(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes)
}
