// A scope for resources that all tests of a file share; it ends after the last test.
import { after, type TestContext } from 'node:test'

export function cleanUpAfter(): Pick<TestContext, 'after'> {
  const ends: (() => unknown)[] = []
  after(async () => {
    for (const end of ends) await end()
  })
  return { after: (end) => void ends.unshift(end as () => unknown) }
}
