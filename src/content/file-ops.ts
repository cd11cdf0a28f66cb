// File access of the store, the only one. Implementations: the file system, and in test/fakes one that records and one
// that fails. Errors are those of the system, with their `code`.

/** An open file. The caller that opened it knows whether `direct` succeeded. */
export interface OpenFile {
  readonly path: string
}

export interface FileOps {
  /**
   * `create`: a new file for writing, fails when it is there; else for reading. `direct`: past the cache of the
   * system, so that addresses, lengths and places are whole multiples of 4096; throws EINVAL where there is none.
   */
  open(
    path: string,
    how?: { readonly direct?: boolean; readonly create?: boolean },
  ): Promise<OpenFile>
  /** As `open` for reading, synchronous. */
  openNow(path: string): OpenFile
  /** All of `buffers`, one after the other, from the place `at` on. */
  writev(file: OpenFile, buffers: readonly Uint8Array[], at: number): Promise<void>
  /**
   * As `writev`, and durable when it resolves: one wait for both, which does not cover the data of earlier `writev`
   * calls. Any number in parallel. After an error, the state of the disk is unknown, except for a full device and a file
   * that could not be opened once more (`syscall` is `open`).
   */
  writeSynced(file: OpenFile, buffers: readonly Uint8Array[], at: number): Promise<void>
  /** Fills `into` from the place `at` on; how many bytes there were, fewer only at the end of the file. */
  read(file: OpenFile, into: Uint8Array, at: number): Promise<number>
  /** Synchronous read, for data likely to be in the page cache. */
  readNow(file: OpenFile, into: Uint8Array, at: number): number
  datasync(file: OpenFile): Promise<void>
  close(file: OpenFile): Promise<void>
  /** With those above it; only while a store opens. */
  makeFolderNow(path: string): void
  /** The files of a folder, in no order; none when it is not there. Only while a store opens. */
  listNow(path: string): readonly { readonly name: string; readonly bytes: number }[]
  /** Bytes of the device that holds a folder, free ones and all; null: not known. */
  roomNow(path: string): { readonly free: number; readonly all: number } | null
  syncDirectory(path: string): Promise<void>
  rename(from: string, to: string): Promise<void>
  unlink(path: string): Promise<void>
}
