// Server settings from the settings file, with their names: shown here, changed only in the file.
// Tested by test/browser/settings.test.ts
import type { ComponentChildren } from 'preact'
import '../../style/settings.css'
import { CodeBlock } from '../../ui/copy.tsx'

/** Example of settings that are not set yet. `text`: YAML. */
export function FileExample({ text }: { readonly text: string }) {
  return (
    <div class="setting-example">
      <CodeBlock title="Example of these settings" text={text} />
      <small class="soft">
        Add it to the settings file, which <code>cairn start --config cairn.yaml</code> names. Cairn
        applies changes within 2 seconds. <a href="/docs/reference/settings">Settings reference</a>
      </small>
    </div>
  )
}

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
