// Types of files by the extension of their name, for the filter of a list of pins. Pure.
// Tested by test/admin/admin-files.test.ts

/** Extensions without the dot, in lower case. */
export const fileTypes = {
  image: ['png', 'jpg', 'jpeg', 'gif', 'webp', 'avif', 'svg', 'bmp', 'ico', 'tif', 'tiff', 'heic'],
  video: ['mp4', 'm4v', 'webm', 'mov', 'mkv', 'ogv', 'avi'],
  audio: ['mp3', 'm4a', 'aac', 'flac', 'wav', 'ogg', 'opus'],
  document: ['pdf', 'txt', 'md', 'html', 'htm', 'epub', 'doc', 'docx', 'odt', 'log'],
  data: ['json', 'jsonl', 'csv', 'xml', 'yaml', 'yml', 'toml', 'sol', 'ts', 'js', 'css', 'wasm'],
  archive: ['car', 'zip', 'tar', 'gz', 'tgz', 'bz2', 'xz', 'zst', '7z'],
} as const satisfies Readonly<Record<string, readonly string[]>>

/** `other`: names with none of these extensions, such as names of folders. */
export const fileTypeNames = [
  'image',
  'video',
  'audio',
  'document',
  'data',
  'archive',
  'other',
] as const satisfies readonly (keyof typeof fileTypes | 'other')[]

export type FileType = (typeof fileTypeNames)[number]

/** `not`: names with another extension, or none. */
export type NameEndings = { readonly endings: readonly string[]; readonly not: boolean }

export function endingsOf(type: FileType): NameEndings {
  return type === 'other'
    ? { endings: Object.values(fileTypes).flat(), not: true }
    : { endings: fileTypes[type], not: false }
}
