#!/usr/bin/env node
// The command. Plain JavaScript that old Node versions can read, so that they are refused in one sentence
// before anything newer is imported. A checkout runs its source, an installed package its build.
import { existsSync, mkdirSync, statSync } from 'node:fs'
import module from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'

// 24.9: a server may leave upgrades alone that it does not take.
const needed = [24, 9]
// By how much the heap may grow before V8 goes through all of it, per cent. Left alone, V8 chooses a third of 35 MB where
// little happens, and a server that takes a hundred uploads a second then stands still every 0.8 s for 10 ms.
const heapGrowth = 200
const version = process.versions.node
const source = new URL('../src/main.ts', import.meta.url)
const [major = 0, minor = 0] = version.split('.').map(Number)

if (major < needed[0] || (major === needed[0] && minor < needed[1])) {
  process.stderr.write(
    `cairn needs Node ${needed.join('.')} or newer, and this is Node ${version}. ${wayToIt()}\n`,
  )
  process.exitCode = 1
} else {
  // Before anything is compiled: code that was compiled under other flags is not taken. So every command sets them.
  setFlagsFromString(`--heap-growing-percent=${heapGrowth}`)
  keepCompiledCode()
  const built = new URL('../dist/main.js', import.meta.url)
  void import((existsSync(source) ? source : built).href)
}

/** The package of a checkout brings a Node along, which npm finds and a shell does not. */
function wayToIt() {
  return existsSync(source) && existsSync(new URL('../node_modules/.bin/node', import.meta.url))
    ? 'npm finds the one in node_modules: npm start, npm run -s cairn -- <command>.'
    : 'It is at https://nodejs.org.'
}

/**
 * The next start finds its code compiled, in `~/.cache/cairn`. Node looks each piece up by what its source says, so
 * changed source is never met by old code; a folder that cannot be written, or that others can write, is left alone.
 */
function keepCompiledCode() {
  if (process.env.NODE_COMPILE_CACHE !== undefined) return
  try {
    const caches = process.env.XDG_CACHE_HOME || join(homedir(), '.cache')
    const folder = join(caches, 'cairn', 'compiled')
    // Step by step: a home that is not there is not made.
    for (const step of [caches, join(caches, 'cairn'), folder]) {
      if (!existsSync(step)) mkdirSync(step, { mode: 0o700 })
    }
    const { uid, mode } = statSync(folder)
    if (process.getuid !== undefined && (uid !== process.getuid() || (mode & 0o022) !== 0)) return
    // Threads look for it in their environment.
    if (module.enableCompileCache(folder).directory !== undefined) {
      process.env.NODE_COMPILE_CACHE = folder
    }
  } catch {
    // Everything is compiled anew then.
  }
}
