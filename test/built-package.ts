// The package that the complete test run starts its servers from, as `npm pack` would make it, without the archive:
// node test/built-package.ts <folder>. A run of one file starts bin/cairn.js of the checkout.
import { cp, mkdir, rm, symlink } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildServer } from '../dev/build.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Replaces `folder`, which lies in the checkout, so that the packages are found above it. */
async function buildPackage(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  await mkdir(join(folder, 'dist'), { recursive: true })
  for (const path of ['bin', 'package.json', 'LICENSE']) {
    await cp(join(root, path), join(folder, path), { recursive: true })
  }
  await buildServer(join(folder, 'dist'))
  for (const pages of ['dashboard', 'docs']) {
    await symlink(join(root, 'dist', pages), join(folder, 'dist', pages))
  }
}

await buildPackage(resolve(process.argv[2] ?? join(root, 'node_modules/.cache/package')))
