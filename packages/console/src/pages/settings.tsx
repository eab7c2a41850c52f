export const SettingsPage = () => <div className="page">settings</div>;
