// The only way the store touches files of its own: the real one here, one that records and one that fails in
// test/fakes. Errors are those of the system, with their `code`.

/** An open file; what `direct` came to is said by who opened it. */
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
  /** As `open` for reading, at once. */
  openNow(path: string): OpenFile
  /** All of `buffers`, one after the other, from the place `at` on. */
  writev(file: OpenFile, buffers: readonly Uint8Array[], at: number): Promise<void>
  /**
   * As `writev`, and what it resolved is on disk: one wait for both, which does not cover what `writev` left. Any number
   * at once. After an error that tells neither of a full device nor of a file that could not be opened once more
   * (`syscall` is `open`) it is not known what the disk holds.
   */
  writeSynced(file: OpenFile, buffers: readonly Uint8Array[], at: number): Promise<void>
  /** Fills `into` from the place `at` on; how many bytes there were, fewer only at the end of the file. */
  read(file: OpenFile, into: Uint8Array, at: number): Promise<number>
  /** The same at once, for what is likely in memory. */
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
