// Processor time and resident memory of a process and its children, from /proc.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

/** Processor time of all threads of the process and its descendants, in microseconds. */
export function cpuUs(pid: number): number {
  return sum(pid, (each) =>
    readdirSync(`/proc/${each}/task`).reduce((total, task) => total + ranUs(each, task), 0),
  )
}

function ranUs(pid: number, task: string): number {
  const [ranNs] = readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')
  return Number(ranNs) / 1000
}

/** As `cpuUs`, only for the main thread, which handles requests in Cairn. */
export function mainThreadUs(pid: number): number {
  return ranUs(pid, String(pid))
}

/** Includes its descendants, unless `withChildren` is false. */
export function rssMiB(pid: number, withChildren = true): number {
  return withChildren ? sum(pid, ownRssMiB) : ownRssMiB(pid)
}

function ownRssMiB(pid: number): number {
  const kib = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kib) / 1024
}

/** Resets `peakRssMiB`. */
export function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
}

/** Peak resident memory of the process, since its start or the last `forgetPeak`. */
export function peakRssMiB(pid: number): number {
  const kib = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kib) / 1024
}

function sum(pid: number, of: (pid: number) => number): number {
  return childrenOf(pid).reduce((total, child) => total + sum(child, of), of(pid))
}

function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8')
      .split(' ')
      .filter((text) => text !== '')
      .map(Number),
  )
}
