// Builds the server from src/ into JavaScript: node dev/build.ts [folder], by default dist/. Modules that are used together
// become one file, because the number of files it loads costs a start much of its processor time. Packages stay
// dependencies. Tested by test/package.test.ts
import { globSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))
const source = join(root, 'src')

/** A module that another one starts as a thread or a process, by its name next to `import.meta.url`. */
const startedPatterns = [
  /new URL\(`(\.[^`$]+)\$\{extension\}`, import\.meta\.url\)/g,
  /siblingModule\(import\.meta\.url, '([^']+)'\)/g,
]

/** Paths of src/ that get a file of their own, with the same path. Throws for a thread whose module it cannot tell. */
function entries(): readonly string[] {
  const paths = globSync('**/*.ts', { cwd: source, exclude: (path) => path.endsWith('.test.ts') })
  const started = paths.flatMap((path) => {
    const text = readFileSync(join(source, path), 'utf8')
    if (!text.includes('import.meta.url')) return []
    const names = startedPatterns.flatMap((pattern) => [...text.matchAll(pattern)])
    // Otherwise the package would lack the module, and only its first use would show that.
    if (
      (text.match(/\$\{extension\}|siblingModule\(import\.meta/g)?.length ?? 0) !== names.length
    ) {
      throw new Error(`${path} starts a module in a form that dev/build.ts does not know`)
    }
    return names.map(([, name = '']) => join(path, '..', `${name}.ts`))
  })
  return ['main.ts', ...new Set(started)]
}

/**
 * `import.meta.url` stays the URL that the module would have as a file of its own, so that `new URL('./thread.js', …)` and
 * `new URL('../../package.json', …)` find the same files in a checkout and in the build. The module `cairn:at` ends up in
 * main.js or in a shared file next to it, since main.ts uses it.
 */
const ownUrls: Plugin = {
  name: 'own URLs',
  setup(building) {
    building.onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8')
      if (!path.startsWith(source) || !text.includes('import.meta.url')) return null
      const built = relative(source, path).replace(/\.ts$/, '.js')
      const contents = text.replaceAll('import.meta.url', `urlOfModule(${JSON.stringify(built)})`)
      return { contents: `${contents}\nimport { urlOfModule } from 'cairn:at'\n`, loader: 'ts' }
    })
    building.onResolve({ filter: /^cairn:at$/ }, () => ({ path: 'at', namespace: 'own' }))
    building.onLoad({ filter: /./, namespace: 'own' }, () => ({
      contents: 'export const urlOfModule = (path) => new URL(path, import.meta.url).href',
    }))
  },
}

/** Writes main.js, a file for each thread and process, and the files that they share. Throws if a module does not compile. */
export async function buildServer(folder: string): Promise<void> {
  await build({
    absWorkingDir: source,
    entryPoints: [...entries()],
    outbase: source,
    outdir: folder,
    bundle: true,
    splitting: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node24',
    // A class or function that shares its name with another one in a file keeps it in logs and stack traces.
    keepNames: true,
    plugins: [ownUrls],
    logLevel: 'warning',
  })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await buildServer(resolve(process.argv[2] ?? join(root, 'dist')))
}
