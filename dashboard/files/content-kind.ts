// What content is, from its first bytes, and from its name where bytes do not tell. Pure.
// Tested by dashboard/files/content-kind.test.ts

export type ContentKind =
  | { readonly kind: 'image'; readonly type: string; readonly title: string }
  | { readonly kind: 'text'; readonly title: string }
  | { readonly kind: 'other'; readonly title: string }

const images: readonly (readonly [start: string, type: string, title: string])[] = [
  ['89504e470d0a1a0a', 'image/png', 'PNG image'],
  ['ffd8ff', 'image/jpeg', 'JPEG image'],
  ['47494638', 'image/gif', 'GIF image'],
]
const others: readonly (readonly [start: string, title: string])[] = [
  ['25504446', 'PDF document'],
  ['504b0304', 'ZIP archive'],
  ['1f8b', 'gzip archive'],
  ['1a45dfa3', 'Video'],
]

export function kindOf(bytes: Uint8Array, name: string): ContentKind {
  const start = hexOf(bytes.subarray(0, 8))
  const image = images.find(([form]) => start.startsWith(form))
  if (image !== undefined) return { kind: 'image', type: image[1], title: image[2] }
  const brand = latin(bytes.subarray(8, 12))
  if (start.startsWith('52494646') && brand === 'WEBP') {
    return { kind: 'image', type: 'image/webp', title: 'WebP image' }
  }
  if (latin(bytes.subarray(4, 8)) === 'ftyp') {
    return brand === 'avif'
      ? { kind: 'image', type: 'image/avif', title: 'AVIF image' }
      : { kind: 'other', title: 'Video' }
  }
  const other = others.find(([form]) => start.startsWith(form))
  if (other !== undefined) return { kind: 'other', title: other[1] }
  const text = textOf(bytes)
  if (text === null) return { kind: 'other', title: titleOf(name) ?? 'Data' }
  // A browser draws SVG in an `img` without its scripts.
  if (/^\s*(<\?xml[^>]*>\s*)?<svg[\s>]/.test(text)) {
    return { kind: 'image', type: 'image/svg+xml', title: 'SVG image' }
  }
  return { kind: 'text', title: /^\s*[[{]/.test(text) ? 'JSON' : (titleOf(name) ?? 'Text') }
}

/** Null: not UTF-8, or with control characters. The last bytes may be a part of a character. */
export function textOf(bytes: Uint8Array): string | null {
  for (const cut of [0, 1, 2, 3]) {
    try {
      const text = new TextDecoder('utf-8', { fatal: true }).decode(
        bytes.subarray(0, Math.max(0, bytes.length - cut)),
      )
      // oxlint-disable-next-line no-control-regex -- Control characters but tab, line feed and return are no text.
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
  mp3: 'Audio',
  pdf: 'PDF document',
  png: 'Image',
  jpg: 'Image',
  jpeg: 'Image',
  gif: 'Image',
  webp: 'Image',
  svg: 'Image',
  txt: 'Text',
  zip: 'ZIP archive',
}

/** By the end of the name; null: unknown. */
export function titleOf(name: string): string | null {
  return titles[/\.([a-z0-9]{1,5})$/i.exec(name)?.[1]?.toLowerCase() ?? ''] ?? null
}

function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

function latin(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes)
}
