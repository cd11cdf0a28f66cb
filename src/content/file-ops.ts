// All file access of the store. Implementations: the file system, and in test/fakes one that records calls and one that fails.
// Errors are the system's, with their `code`.

/** An open file. The caller that opened it knows whether `direct` succeeded. */
export interface OpenFile {
  readonly path: string
}

export interface FileOps {
  /**
   * `create`: opens a new file for writing, and fails if it exists; otherwise opens for reading. `direct`: bypasses the page cache,
   * so addresses, lengths and offsets must be multiples of 4096; throws EINVAL if unsupported.
   */
  open(
    path: string,
    how?: { readonly direct?: boolean; readonly create?: boolean },
  ): Promise<OpenFile>
  /** As `open` for reading, synchronous. */
  openNow(path: string): OpenFile
  /** Writes all `buffers` one after another, from offset `at` on. */
  writev(file: OpenFile, buffers: readonly Uint8Array[], at: number): Promise<void>
  /**
   * As `writev`, but durable when it resolves: a single wait for both, which does not cover the data of earlier `writev` calls. Any
   * number may run in parallel. After an error, the state of the disk is unknown, except if the device is full or the file could
   * not be opened again (`syscall` is `open`).
   */
  writeSynced(file: OpenFile, buffers: readonly Uint8Array[], at: number): Promise<void>
  /** Fills `into` from offset `at` on; resolves to the number of bytes, less only at the end of the file. */
  read(file: OpenFile, into: Uint8Array, at: number): Promise<number>
  /** Synchronous read, for data likely to be in the page cache. */
  readNow(file: OpenFile, into: Uint8Array, at: number): number
  datasync(file: OpenFile): Promise<void>
  close(file: OpenFile): Promise<void>
  /** Creates parent folders too. Only while a store opens. */
  makeFolderNow(path: string): void
  /** The files of a folder, in any order; empty if it does not exist. Only while a store opens. */
  listNow(path: string): readonly { readonly name: string; readonly bytes: number }[]
  /** Free and total bytes of the device of a folder; null: unknown. */
  diskSpaceNow(path: string): { readonly free: number; readonly all: number } | null
  syncDirectory(path: string): Promise<void>
  rename(from: string, to: string): Promise<void>
  unlink(path: string): Promise<void>
}
