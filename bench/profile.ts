// CPU profiles of the measured server, summed by function.
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'

type Node = {
  readonly id: number
  readonly callFrame: { functionName: string; url: string; lineNumber: number }
}
type Profile = { nodes: readonly Node[]; samples: readonly number[]; timeDeltas: readonly number[] }

export const profileHook = new URL('./profile-hook.ts', import.meta.url).href
const linesMax = 40

export async function startProfile(pid: number): Promise<void> {
  process.kill(pid, 'SIGUSR2')
  await wait(300)
}

/** Stops the profile and returns lines with the functions of the highest self time. */
export async function stopProfile(pid: number, file: string): Promise<readonly string[]> {
  process.kill(pid, 'SIGUSR2')
  while (!existsSync(file)) await wait(100)
  const profile = JSON.parse(readFileSync(file, 'utf8')) as Profile
  rmSync(file)
  return heaviest(profile)
}

function heaviest({ nodes, samples, timeDeltas }: Profile): readonly string[] {
  const names = new Map(nodes.map((node) => [node.id, nameOf(node)]))
  const selfUs = new Map<string, number>()
  samples.forEach((id, at) => {
    const name = names.get(id) ?? '?'
    selfUs.set(name, (selfUs.get(name) ?? 0) + (timeDeltas[at] ?? 0))
  })
  // Excludes idle time and the profiler itself.
  for (const name of selfUs.keys()) {
    if (name === '(idle)' || name.includes('node:inspector')) selfUs.delete(name)
  }
  const total = [...selfUs.values()].reduce((sum, each) => sum + each, 0)
  return [...selfUs]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, linesMax)
    .map(([name, us]) => `${((us / total) * 100).toFixed(1).padStart(5)} %  ${name}`)
}

function nameOf({ callFrame: { functionName, url, lineNumber } }: Node): string {
  const name = functionName === '' ? '(anonymous)' : functionName
  const location = url.replace(/^.*\/(src|node_modules)\//, '$1/')
  return location === '' ? name : `${name}  ${location}:${lineNumber + 1}`
}
