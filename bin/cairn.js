#!/usr/bin/env node
// The command. Plain JavaScript that old Node versions can read, so that they are refused in one sentence
// before anything newer is imported. A checkout runs its source, an installed package its build.
import { existsSync } from 'node:fs'

// 24.9: a server may leave upgrades alone that it does not take.
const needed = [24, 9]
const version = process.versions.node
const [major = 0, minor = 0] = version.split('.').map(Number)

if (major < needed[0] || (major === needed[0] && minor < needed[1])) {
  process.stderr.write(
    `cairn needs Node ${needed.join('.')} or newer, and this is Node ${version}.\n`,
  )
  process.exitCode = 1
} else {
  const source = new URL('../src/main.ts', import.meta.url)
  const built = new URL('../dist/main.js', import.meta.url)
  void import((existsSync(source) ? source : built).href)
}
