package who

// Manager says who stands behind a manager of fields, empty where it is not known.
func Manager(name string) string { return managers[name] }
