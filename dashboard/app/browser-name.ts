// Short name of a browser from its User-Agent header. Pure.

const browsers: readonly (readonly [form: RegExp, name: string])[] = [
  [/Edg\//, 'Edge'],
  [/Firefox\//, 'Firefox'],
  [/HeadlessChrome\/|Chromium\//, 'Chromium'],
  [/Chrome\//, 'Chrome'],
  [/Safari\//, 'Safari'],
]
const systems: readonly (readonly [form: RegExp, name: string])[] = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
]

/** `Firefox on Linux`, or the start of the header. */
export function browserName(agent: string): string {
  const browser = browsers.find(([form]) => form.test(agent))?.[1]
  const system = systems.find(([form]) => form.test(agent))?.[1]
  if (browser === undefined) return agent === '' ? 'unknown' : agent.slice(0, 40)
  return system === undefined ? browser : `${browser} on ${system}`
}
