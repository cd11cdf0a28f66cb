#!/usr/bin/env node
// The command. Plain JavaScript that old Node versions can read, so that they are refused in one sentence
// before anything newer is imported. A checkout runs its source, an installed package its build.
import { existsSync } from 'node:fs'

const needed = 24
const version = process.versions.node

if (Number(version.split('.')[0]) < needed) {
  process.stderr.write(`cairn needs Node ${needed} or newer, and this is Node ${version}.\n`)
  process.exitCode = 1
} else {
  const source = new URL('../src/main.ts', import.meta.url)
  const built = new URL('../dist/main.js', import.meta.url)
  void import((existsSync(source) ? source : built).href)
}
