// Files of a file input or a drop, with their paths in folders.
// Tested by test/browser/uploads.test.ts
import type { NamedFile } from './upload-body.ts'

/** Maximum files in one upload; the server refuses folders of about 700,000 files. */
const filesMax = 50_000

export function filesOf(list: Iterable<File>): readonly NamedFile[] {
  return limited(
    Array.from(list, (file) => ({
      path: file.webkitRelativePath === '' ? file.name : file.webkitRelativePath,
      file,
    })),
  )
}

/** Includes all files of dropped folders. Rejects if a file cannot be read, and for more than 50,000 files. */
export async function droppedFiles(dropped: DataTransfer): Promise<readonly NamedFile[]> {
  // The list is empty after the event, so get all entries first.
  const items = [...dropped.items].filter(({ kind }) => kind === 'file')
  const chosen = items.map((item) => ({ entry: item.webkitGetAsEntry(), file: item.getAsFile() }))
  const found: NamedFile[] = []
  for (const { entry, file } of chosen) {
    if (entry !== null) await collect(entry, '', found)
    else if (file !== null) found.push({ path: file.name, file })
  }
  return limited(found)
}

async function collect(entry: FileSystemEntry, above: string, found: NamedFile[]): Promise<void> {
  const path = above + entry.name
  if (isFile(entry)) {
    const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject))
    found.push({ path, file })
    limited(found)
  } else if (isFolder(entry)) {
    const reader = entry.createReader()
    for (;;) {
      // A browser returns the entries in parts, and an empty part at the end.
      const entries = await new Promise<FileSystemEntry[]>((resolve, reject) =>
        reader.readEntries(resolve, reject),
      )
      if (entries.length === 0) return
      for (const one of entries) await collect(one, `${path}/`, found)
    }
  }
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile
}

function isFolder(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory
}

function limited(files: readonly NamedFile[]): readonly NamedFile[] {
  if (files.length <= filesMax) return files
  throw new Error('More than 50,000 files: use `cairn add`.')
}
