// Server settings from the settings file, with their names: shown here, changed only in the file.
// Tested by test/browser/settings.test.ts
import type { ComponentChildren } from 'preact'
import '../../style/settings.css'

export type FileSetting = {
  readonly title: string
  readonly value: ComponentChildren
  /** Name in the file, such as `mail.from`; absent: a state that is not a setting. */
  readonly name?: string
}

export function FileSettings({ rows }: { readonly rows: readonly FileSetting[] }) {
  return (
    <>
      <dl class="setting-rows">
        {rows.map(({ title, value, name }) => (
          <div key={title}>
            <dt>
              {title}
              {name !== undefined && <small class="mono">{name}</small>}
            </dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {rows.some(({ name }) => name !== undefined) && (
        <small class="soft">
          Set in the settings file. <a href="/docs/reference/settings">Settings reference</a>
        </small>
      )}
    </>
  )
}
