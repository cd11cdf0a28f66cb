// Describes an operating system error by its code in a few words.

const words: Readonly<Record<string, string>> = {
  EACCES: 'no permission',
  EADDRINUSE: 'another program listens there',
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the connection was cut',
  EDQUOT: 'the disk quota is used up',
  EEXIST: 'there is something of that name',
  EFBIG: 'the file is too large for its disk',
  EHOSTUNREACH: 'no way leads there',
  EIO: 'the disk fails',
  EISDIR: 'it is a folder, not a file',
  ELOOP: 'links lead in a circle',
  EMFILE: 'too many files are open',
  ENAMETOOLONG: 'the name is too long',
  ENETUNREACH: 'no way leads there',
  ENOENT: 'there is no such file or folder',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a file exists where a folder is expected',
  ENOTEMPTY: 'the folder is not empty',
  ENOTFOUND: 'there is no host of that name',
  EPERM: 'no permission',
  EROFS: 'the disk can only be read',
  ETIMEDOUT: 'no answer came',
  EXDEV: 'the two places are on different disks',
}

/** By Node's `error.code`; an unlisted code returns Node's text. */
export function describeErrno(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown)
  const code = 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : ''
  return words[code] ?? thrown.message
}

/** As `describeErrno`, with the path of Node's error. */
export function describeFileError(thrown: unknown): string {
  const path = thrown instanceof Error && 'path' in thrown ? thrown.path : null
  return typeof path === 'string' ? `${path}: ${describeErrno(thrown)}` : describeErrno(thrown)
}

/** True if Node's `error.code` is one of `codes`. */
export function hasErrno(thrown: unknown, codes: readonly string[]): boolean {
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : null
  return typeof code === 'string' && codes.includes(code)
}
