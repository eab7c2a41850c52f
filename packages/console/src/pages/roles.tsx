export const RolesPage = () => <div className="page">roles</div>;
