import { type SettingChange, settingChangeWords } from 'sitewarden-client/setting-changes';
import styles from './screen.module.css';

/** The settings that differ between two compared reports, which can be the reason for differences. */
export function ChangedSettings({
  settings,
  isOtherSite,
}: {
  readonly settings: readonly SettingChange[];
  /** Whether the reports belong to different sites. */
  readonly isOtherSite: boolean;
}) {
  if (settings.length === 0) return null;
  return (
    <div className={styles.settings}>
      <p>
        {isOtherSite
          ? 'The reports have different settings. Issues that only one report checked for are not compared, and differences with the cause “settings differ” may not be differences between the sites.'
          : 'The reports have different settings. Issues that only one report checked for are neither new nor fixed, and changes with the cause “settings differ” may not be changes to the site.'}
      </p>
      <ul>
        {settings.map((setting) => (
          <li key={setting.name}>{settingChangeWords(setting)}</li>
        ))}
      </ul>
    </div>
  );
}
