// Searches the files of a project for URLs of hosted endpoints and replaces them on request. Limited in files, bytes and depth;
// does not follow links, and skips folders of dependencies and builds.
// Tested by test/cli/migrate-from.test.ts
import { lstat, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { extname, join, relative } from 'node:path'
import { describeErrno } from '../../base/describe-errno.ts'
import {
  type FoundEndpoint,
  findEndpoints,
  type NewEndpoint,
  replaceEndpoints,
} from './hosted-endpoints.ts'

type ScannedFile = {
  /** Relative to the project. */
  readonly path: string
  readonly found: readonly FoundEndpoint[]
}

export type ScannedProject = {
  readonly files: number
  readonly changes: readonly ScannedFile[]
  /** Files that could not be read or written, and limits that were reached. */
  readonly problems: readonly string[]
}

const filesMax = 20_000
const fileBytesMax = 1024 * 1024
const depthMax = 20

const skippedFolders: ReadonlySet<string> = new Set([
  '.git',
  '.hg',
  '.next',
  '.venv',
  '__pycache__',
  'artifacts',
  'broadcast',
  'build',
  'cache',
  'coverage',
  'dist',
  'node_modules',
  'out',
  'target',
  'vendor',
  'venv',
])

const endings: ReadonlySet<string> = new Set(
  '.cjs .cts .env .go .html .java .js .json .jsx .kt .md .mjs .mts .php .py .rb .rs .sh .sol .svelte .swift .toml .ts .tsx .vue .yaml .yml'.split(
    ' ',
  ),
)

/** Files without an extension that are read too: `.env`, `.env.local`, `Dockerfile`, `Makefile`. */
const names = /^(?:\.env(?:\..*)?|\.envrc|Dockerfile.*|Makefile)$/

/** Lock files contain no endpoints and are long. */
const skippedFiles = /^(?:package-lock\.json|pnpm-lock\.yaml|yarn\.lock)$/

/** `write`: replaces URLs, each file completely or not at all. Throws an Error if `folder` cannot be read. */
export async function scanProject(
  folder: string,
  to: NewEndpoint,
  { write }: { readonly write: boolean },
): Promise<ScannedProject> {
  const problems: string[] = []
  const paths = await listFiles(folder, problems)
  const changes: ScannedFile[] = []
  for (const path of paths) {
    const shown = relative(folder, path)
    try {
      const text = await readFile(path, 'utf8')
      const found = findEndpoints(text, to)
      if (found.length === 0) continue
      changes.push({ path: shown, found })
      const changed = replaceEndpoints(text, to)
      // Writing would damage a file that is not UTF-8.
      if (!write || changed === text) continue
      if (text.includes('\uFFFD')) problems.push(`${shown}: not UTF-8: change it by hand`)
      else await replaceFile(path, changed)
    } catch (thrown) {
      problems.push(`${shown}: ${describeErrno(thrown)}`)
    }
  }
  return { files: paths.length, changes, problems }
}

async function listFiles(folder: string, problems: string[]): Promise<readonly string[]> {
  const found: string[] = []
  const folders: { readonly path: string; readonly depth: number }[] = [{ path: folder, depth: 0 }]
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    const { path, depth } = next
    let entries
    try {
      entries = await readdir(path, { withFileTypes: true })
    } catch (thrown) {
      if (depth === 0)
        throw new Error(`cannot read ${path}: ${describeErrno(thrown)}`, { cause: thrown })
      problems.push(`${relative(folder, path)}: ${describeErrno(thrown)}`)
      continue
    }
    for (const entry of entries.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
      const inner = join(path, entry.name)
      if (entry.isDirectory()) {
        if (skippedFolders.has(entry.name)) continue
        if (depth < depthMax) folders.push({ path: inner, depth: depth + 1 })
        else
          problems.push(`${relative(folder, inner)}: more than ${depthMax} folders deep: skipped`)
      } else if (entry.isFile() && isOfInterest(entry.name)) {
        const { size } = await lstat(inner)
        if (size <= fileBytesMax) found.push(inner)
        else problems.push(`${relative(folder, inner)}: larger than ${fileBytesMax} bytes: skipped`)
        if (found.length < filesMax) continue
        problems.push(`more than ${filesMax} files: the rest is skipped`)
        return found
      }
    }
  }
  return found.toSorted()
}

function isOfInterest(name: string): boolean {
  return !skippedFiles.test(name) && (names.test(name) || endings.has(extname(name)))
}

async function replaceFile(path: string, text: string): Promise<void> {
  const { mode } = await lstat(path)
  const fresh = `${path}.cairn-new`
  const file = await open(fresh, 'wx', mode & 0o777)
  try {
    await file.writeFile(text)
    await file.sync()
    await file.close()
    await rename(fresh, path)
  } catch (thrown) {
    await file.close().catch(() => {})
    await rm(fresh, { force: true })
    throw thrown
  }
}
